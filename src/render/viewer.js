// What the page of games and the board in the browser share: elements, words, and the list of moves with the ways
// through it. Texts become text nodes, never markup.

const SVG = 'http://www.w3.org/2000/svg'

export const byId = id => document.getElementById(id)
export const title = side => side === 'black' ? 'Black' : 'White'
export const percent = share => (100 * share).toFixed(1) + ' %'

// Makes an element of HTML, with its properties and attributes.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element) element[key] = value
    else element.setAttribute(key, value)
  }
  element.append(...children)
  return element
}

// Makes an element of SVG.
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

// Writes whole seconds as a clock does: 1:05 or 1:00:00.
export function clock(seconds) {
  const two = number => String(number).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return (hours ? hours + ':' + two(minutes) : minutes) + ':' + two(seconds % 60)
}

// Copies a text, and says so on the button for a while.
export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Some browsers allow it only in their own way.
    const area = make('textarea', {value: text})
    button.after(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
  markCopied(button)
}

// Says on a button for a while that it has copied.
export function markCopied(button) {
  const label = button.dataset.label ??= button.textContent
  button.textContent = 'Copied'
  setTimeout(() => { button.textContent = label }, 1500)
}

// Scrolls a box, and never the page.
export function reveal(element, box) {
  const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()]
  if (inner.top < outer.top + 40) box.scrollTop -= outer.top + 40 - inner.top
  if (inner.bottom > outer.bottom - 8) box.scrollTop += inner.bottom - outer.bottom + 8
}

// The places that buttons and keys lead to from a place. A turn has the places after its steps as `ends`.
export function around(turns, at) {
  const steps = [0, ...turns.flatMap(({ends}) => ends)]
  const whole = [0, ...turns.map(({ends}) => ends.at(-1))]
  const [before, after] = [place => place < at, place => place > at]
  return {
    first: 0, 'turn-back': whole.findLast(before) ?? at, back: steps.findLast(before) ?? at,
    on: steps.find(after) ?? at, 'turn-on': whole.find(after) ?? at, last: steps.at(-1),
  }
}

// Creates the list of moves in an element. `go` gets the place after the step that is clicked, and `vary` what is to be
// done with a variation: `variation`, `promote` or `remove`.
export function createMoves(list, go, tabIndex = 0, vary = null) {
  let shown // what the elements were made for
  let place // of the step that is marked; none in new elements

  function item({side, turn, steps, ends, book = [], isOpen}) {
    const buttons = steps.map((text, index) => make('button', {
      type: 'button', className: book[index] ? 'step book' : 'step', tabIndex, 'data-step': ends[index],
      'aria-label': `${title(side)}, turn ${turn}: ${text}`,
    }, text))
    return make('li', {className: steps.length > 6 ? 'turn long' : 'turn'}, make('span', {className: 'count'}, turn + '.'),
      make('span', {className: `stone ${side}-side`, title: title(side)}),
      make('span', {className: 'steps'}, ...buttons, isOpen ? '…' : ''))
  }

  // The other lines from the same position.
  const others = ({variations = []}) => variations.map(({node, text}) => {
    const control = (kind, label, title) =>
      make('button', {type: 'button', className: 'vary', title, 'aria-label': `${title}: ${text}`, tabIndex, 'data-vary': kind, 'data-node': node}, label)
    return make('li', {className: 'variation'}, control('variation', `or ${text}`, 'Go to this line'),
      control('promote', '↑', 'Make this the main line'), control('remove', '×', 'Remove this line'))
  })

  // Marks the step that leads to a place and its turn, which comes in sight unless it is longer than the list.
  function mark(at) {
    if (at === place) return
    place = at
    let current = null
    for (const step of list.querySelectorAll('.step')) {
      step.removeAttribute('aria-current')
      const isAhead = Number(step.dataset.step) > at
      step.classList.toggle('ahead', isAhead)
      if (!isAhead) current = step
    }
    list.querySelector('.current')?.classList.remove('current')
    if (!current) return list.scrollTo(0, 0)
    current.setAttribute('aria-current', 'step')
    const turn = current.closest('li')
    turn.classList.add('current')
    reveal(turn, list)
    reveal(current, list)
  }

  list.addEventListener('click', event => {
    const step = event.target.closest('.step')
    if (step) go(Number(step.dataset.step))
    const other = event.target.closest('.vary')
    if (other) vary(other.dataset.vary, Number(other.dataset.node))
  })
  return {
    mark,
    // Keeps the marked step in sight when the size of the list changes.
    resized() {
      const at = place
      place = undefined
      if (at !== undefined) mark(at)
    },
    // Shows turns, between further elements.
    show(turns, before = [], after = []) {
      const key = JSON.stringify(turns)
      if (key === shown && !before.length) return
      shown = key
      place = undefined
      list.replaceChildren(...before, ...turns.flatMap(turn => [item(turn), ...others(turn)]), ...after)
    },
  }
}
