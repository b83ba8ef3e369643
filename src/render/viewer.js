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

// Classes of the signs that a move may have.
const SIGNS = {'?!': 'doubtful', '?': 'mistake', '??': 'blunder'}

// Creates the list of moves in an element. `go` gets the place after the step that is clicked, and `vary` what is to be
// done with a variation: `variation`, or, unless it is fixed, `promote` or `remove`.
export function createMoves(list, go, tabIndex = 0, vary = null, isFixed = false) {
  let shown = [] // the elements of each turn, and what they were made for
  let place // of the step that is marked; none in new elements

  function item({side, turn, steps, ends, book = [], isOpen, mark = '', comment = null}) {
    const buttons = steps.map((text, index) => make('button', {
      type: 'button', className: book[index] ? 'step book' : 'step', tabIndex, 'data-step': ends[index],
      'aria-label': `${title(side)}, turn ${turn}: ${text}`,
    }, text))
    return make('li', {className: steps.length > 6 ? 'turn long' : 'turn'}, make('span', {className: 'count'}, turn + '.'),
      make('span', {className: `stone ${side}-side`, title: title(side)}),
      make('span', {className: 'steps', title: comment ?? ''}, ...buttons, isOpen ? '…' : '',
        mark && make('b', {className: `sign ${SIGNS[mark] ?? ''}`, title: comment ?? ''}, mark)))
  }

  // The other lines from the same position.
  const others = ({variations = []}) => variations.map(({node, text}) => {
    const control = (kind, label, title) =>
      make('button', {type: 'button', className: 'vary', title, 'aria-label': `${title}: ${text}`, tabIndex, 'data-vary': kind, 'data-node': node}, label)
    const line = control('variation', `or ${text}`, 'Go to this line')
    return make('li', {className: 'variation'}, line, ...isFixed ? [] : [
      control('promote', '↑', 'Make this the main line'), control('remove', '×', 'Remove this line')])
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
    // Shows turns, between further elements. Those that are as they were keep their elements: games are long.
    show(turns, before = [], after = []) {
      const known = shown
      shown = turns.map((turn, index) => {
        const key = JSON.stringify(turn)
        return known[index]?.key === key ? known[index] : {key, elements: [item(turn), ...others(turn)]}
      })
      const first = before.length || after.length ? 0 : shown.findIndex((entry, index) => entry !== known[index])
      const same = first < 0 ? shown.length : first
      if (same === known.length && same === shown.length && !before.length) return
      place = undefined
      const isKept = new Set(shown.slice(0, same).flatMap(({elements}) => elements))
      for (const element of [...list.children].reverse()) {
        if (isKept.has(element)) break
        element.remove()
      }
      list.append(...before, ...shown.slice(same).flatMap(({elements}) => elements), ...after)
    },
  }
}

// Creates the graph of expected scores: turns to the right, the score of Black upwards. `go` gets the place clicked.
export function createGraph(svg, go) {
  const EDGE = {left: 42, right: 10, top: 10, bottom: 10}
  let turns = []
  let lines = []
  let at = 0

  const x = turn => EDGE.left + (svg.clientWidth - EDGE.left - EDGE.right) * turn / Math.max(1, turns.length)
  const y = share => EDGE.top + (svg.clientHeight - EDGE.top - EDGE.bottom) * (1 - share)

  // The place of a step among the turns: the end of turn 3 is at 3, its middle at 2.5.
  function among(place) {
    const index = turns.findIndex(({ends}) => ends.at(-1) >= place)
    if (place === 0 || index < 0) return place === 0 ? 0 : turns.length
    return index + (turns[index].ends.indexOf(place) + 1) / turns[index].ends.length
  }

  function redraw() {
    const [width, parts] = [svg.clientWidth, []]
    // One line for both players has the area below it filled: the larger it is, the better for Black.
    if (lines.length === 1 && lines[0].points.length > 1) {
      const points = lines[0].points.map(({at, share}) => `${x(among(at)).toFixed(1)} ${y(share).toFixed(1)}`)
      const [first, last] = [lines[0].points[0], lines[0].points.at(-1)].map(({at}) => x(among(at)).toFixed(1))
      parts.push(draw('path', {class: 'ground', d: `M${EDGE.left} ${y(1)}H${width - EDGE.right}V${y(0)}H${EDGE.left}z`}),
        draw('path', {class: 'area', d: `M${first} ${y(0)}L${points.join('L')}L${last} ${y(0)}z`}))
    }
    for (const share of [0, 0.5, 1]) {
      parts.push(draw('path', {class: 'grid', d: `M${EDGE.left} ${y(share)}H${width - EDGE.right}`}),
        draw('text', {x: EDGE.left - 5, y: y(share) + 4, 'text-anchor': 'end'}, 100 * share + ' %'))
    }
    for (const {kind, points} of lines) {
      let [d, isApart] = ['', true]
      const dots = []
      for (const {at, share} of points) {
        isApart ||= share === null
        if (share === null) continue
        const [left, top] = [x(among(at)).toFixed(1), y(share).toFixed(1)]
        d += `${isApart ? 'M' : 'L'}${left} ${top}`
        isApart = false
        dots.push(draw('circle', {class: `${kind}-dot`, cx: left, cy: top, r: 2.5}))
      }
      if (d) parts.push(draw('path', {class: `${kind}-line`, d}))
      // Dots only where they do not touch each other.
      if (dots.length * 10 < width) parts.push(...dots)
    }
    for (const {at, share, sign} of lines.flatMap(({points}) => points)) {
      if (sign && share !== null) parts.push(draw('circle', {class: `sign ${SIGNS[sign] ?? ''}`, cx: x(among(at)), cy: y(share), r: 5}))
    }
    svg.replaceChildren(...parts, draw('path', {class: 'cursor'}))
    moveCursor()
  }

  function moveCursor() {
    const cursor = svg.querySelector('.cursor')
    if (cursor) cursor.setAttribute('d', `M${x(among(at)).toFixed(1)} 2V${svg.clientHeight - 2}`)
    svg.setAttribute('aria-valuenow', at)
  }

  const follow = event => {
    const left = event.clientX - svg.getBoundingClientRect().left
    const turn = Math.round((left - x(0)) / (x(turns.length) - x(0)) * turns.length)
    go(turns[Math.min(turn, turns.length) - 1]?.ends.at(-1) ?? 0)
  }
  svg.addEventListener('pointerdown', follow)
  svg.addEventListener('pointermove', event => {
    if (event.buttons === 1) follow(event)
  })
  new ResizeObserver(redraw).observe(svg)
  return {
    // Shows lines over turns: their kinds, and points with a place, a share, and the sign of the move.
    show(newTurns, newLines) {
      const key = JSON.stringify([newTurns.map(({ends}) => ends), newLines])
      if (svg.dataset.shown === key) return
      svg.dataset.shown = key;
      [turns, lines] = [newTurns, newLines]
      svg.setAttribute('aria-valuemax', turns.at(-1)?.ends.at(-1) ?? 0)
      redraw()
    },
    // Marks a place, described by words.
    mark(place, words) {
      at = place
      svg.setAttribute('aria-valuetext', words)
      moveCursor()
    },
  }
}
