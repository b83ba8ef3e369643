
// Asks the puzzles of the page. It knows no rules: the boards and all legal steps with their clicks are in the page.

const REPLY = 700 // milliseconds until the other player answers
const packed = JSON.parse(byId('data').textContent)

let index = 0 // the puzzle shown
let puzzle // unpacked
let place = 0 // the number of steps of the solution that were played
let clicked = [] // the first clicks of a step
let timer

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return JSON.parse(await new Response(stream).text())
}

async function open(number) {
  clearTimeout(timer)
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

function show() {
  const scene = puzzle.scenes[place]
  const [width, height] = scene.size
  byId('headline').textContent = scene.headline
  // The picture was drawn by the program; nothing in it is a text of strangers.
  byId('board').innerHTML = scene.svg
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
  show()
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
  clicked = []
  if (place < puzzle.steps.length) {
    const told = puzzle.steps[place].told
    place++
    verdict('', told)
    show()
  }
}

function chosen(event) {
  const point = event.target.closest('[data-point]')?.dataset.point
  if (point && puzzle.steps[place]?.options.length) choose(point)
}

for (const id of ['board', 'buttons']) byId(id).addEventListener('click', chosen)
byId('board').addEventListener('keydown', event => {
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault()
    chosen(event)
  }
})
byId('previous').addEventListener('click', () => open(index - 1))
byId('next').addEventListener('click', () => open(index + 1))
byId('again').addEventListener('click', () => open(index))
byId('solution').addEventListener('click', showNext)
byId('app').hidden = packed.length === 0
if (packed.length) open(0)
