
// Asks the puzzles of the page. It knows no rules: the boards, and all legal steps with their clicks and the replies to
// wrong ones, are in the page.

const REPLY = 700 // milliseconds until the other player answers
const LOOK = 2000 // milliseconds for which the end of a reply to a wrong step is shown
const packed = JSON.parse(byId('data').textContent)

let index = 0 // the puzzle shown
let puzzle // unpacked
let place = 0 // the number of steps of the solution that were played
let clicked = [] // the first clicks of a step
let reply = null // the frames of a wrong step and the reply to it that are still to be shown
let keyed = null // the cell that was chosen by a key, and keeps the focus
let timer

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return JSON.parse(await new Response(stream).text())
}

async function open(number) {
  clearTimeout(timer)
  endReply()
  index = number
  puzzle = await unpack(packed[number])
  ;[place, clicked] = [0, []]
  byId('tried').replaceChildren()
  verdict('', '')
  byId('task').textContent = `Puzzle ${number + 1} of ${packed.length}: ${puzzle.task}`
  byId('about').textContent = `${puzzle.variant}; ${puzzle.about}`
  byId('previous').disabled = number === 0
  byId('next').disabled = number === packed.length - 1
  show()
}

function verdict(kind, text) {
  byId('verdict').className = kind
  byId('verdict').textContent = text
}

// The steps that may be chosen now, and begin with the clicks that were made.
function options() {
  const all = puzzle.steps[place]?.options ?? []
  return all.filter(({clicks}) => clicked.every((click, number) => clicks[number] === click))
}

function showFrame({svg, headline}) {
  byId('headline').textContent = headline
  // The picture was drawn by the program; nothing in it is a text of strangers.
  byId('board').innerHTML = svg
}

function show() {
  const scene = puzzle.scenes[place]
  const [width, height] = scene.size
  showFrame(scene)
  const over = draw('svg', {class: 'over', viewBox: `0 0 ${width} ${height}`})
  const next = new Set(options().map(({clicks}) => clicks[clicked.length]))
  scene.labels.forEach((label, cell) => {
    const [x, y] = scene.middles[cell]
    const is = clicked.includes(label) ? ' selected' : ''
    const circle = draw('circle', {class: 'cell' + is, cx: x, cy: y, r: 42, 'data-point': label})
    if (next.has(label)) {
      circle.classList.add('target')
      circle.setAttribute('role', 'button')
      circle.setAttribute('tabindex', 0)
      circle.setAttribute('aria-label', label)
    }
    over.append(circle)
  })
  byId('board').append(over)
  if (keyed) over.querySelector(`[data-point="${keyed}"][tabindex]`)?.focus()
  const buttons = [...next].filter(point => point && !scene.labels.includes(point))
  byId('buttons').replaceChildren(...buttons.map(point => make('button', {type: 'button', 'data-point': point}, point)))
  byId('solution').disabled = place === puzzle.steps.length
}

function choose(point) {
  const isStart = point => options().some(({clicks}) => clicks[clicked.length] === point)
  if (!isStart(point)) {
    clicked = []
    if (!isStart(point)) return show()
  }
  clicked.push(point)
  const [found, ...others] = options()
  if (others.length || found.clicks.length > clicked.length) return show()
  clicked = []
  if (found.text === puzzle.steps[place].options[0].text) return advance(found.why)
  verdict('wrong', found.why)
  byId('tried').append(make('li', {}, found.why))
  byId('buttons').replaceChildren()
  byId('board').classList.add('replying')
  reply = [...found.frames]
  showReply()
}

// Shows a wrong step and the reply to it, step by step, and takes them back. A click or a key ends it.
function showReply() {
  if (!reply.length) {
    endReply()
    return show()
  }
  showFrame(reply.shift())
  timer = setTimeout(showReply, reply.length ? REPLY : LOOK)
}

// Returns false if none was shown.
function endReply() {
  if (!reply) return false
  clearTimeout(timer)
  reply = null
  byId('board').classList.remove('replying')
  return true
}

// Plays the next step of the solution, and those behind it that are not to be found.
function advance(why) {
  place++
  const isDone = place === puzzle.steps.length
  verdict('right', isDone ? `${why} Solved.` : why)
  show()
  if (!isDone && !puzzle.steps[place].options.length) {
    timer = setTimeout(() => advance(puzzle.steps[place].told), REPLY)
  }
}

function showNext() {
  clearTimeout(timer)
  endReply()
  clicked = []
  if (place < puzzle.steps.length) {
    const told = puzzle.steps[place].told
    place++
    verdict('', told)
    show()
  }
}

function chosen(event) {
  if (endReply()) return show()
  const point = event.target.closest('[data-point]')?.dataset.point
  keyed = event.type === 'keydown' ? point : null
  if (point && puzzle.steps[place]?.options.length) choose(point)
}

for (const id of ['board', 'buttons']) byId(id).addEventListener('click', chosen)
byId('board').addEventListener('keydown', event => {
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault()
    chosen(event)
  }
})
// Before the key does anything else.
document.addEventListener('keydown', () => endReply() && show(), {capture: true})
byId('previous').addEventListener('click', () => open(index - 1))
byId('next').addEventListener('click', () => open(index + 1))
byId('again').addEventListener('click', () => open(index))
byId('solution').addEventListener('click', showNext)
byId('app').hidden = packed.length === 0
if (packed.length) open(0)
