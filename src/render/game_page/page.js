
// Shows the games of the page. It knows no rules: positions, words and pictures are all in the page.

const PACE = 700 // milliseconds for a step while the game runs
const {boards, games} = JSON.parse(byId('data').textContent)

let game // the game shown, with its line unpacked
let step = 0 // the number of steps played
let timer // of the running game
let wanted = 0 // the number of the last game asked for: unpacking takes a moment

const sign = side => draw('svg', {viewBox: '-42 -42 84 84', 'aria-hidden': true}, draw('use', {href: '#sign' + side}))
const SIDES = ['Black', 'White']
const NAMES = ['black', 'white']

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  return JSON.parse(await new Response(stream).text())
}

// Reads texts that are written as differences from those before, word by word.
function filled(column) {
  let before = []
  return column.map(text => {
    before = text.split(' ').map((word, index) => {
      if (word === '') return before[index]
      if (word === '^') return String(Number(before[index]) + 1)
      return word.startsWith('^^') ? word.slice(2) : word
    })
    return before.join(' ')
  })
}

// Reads the steps from the text that is there without scripts: moves, steps with commas between, and numbers of turns.
function stepsOf(number) {
  const words = byId('game=' + number).querySelector('.moves').textContent.split(' ')
  return words.filter(word => word && !word.endsWith('.')).flatMap(move => move.split(','))
}

// Makes of a game what is shown: the scenes behind its steps, and its moves.
async function open(given) {
  const shown = {...given}
  if (given.line === null) return shown
  const line = await unpack(given.line)
  const board = boards[given.board]
  if (typeof board.marks === 'string') board.marks = await unpack(board.marks)
  return assemble(Object.assign(shown, {board, name: 'b' + given.board}), lineOf(line, stepsOf(given.number)))
}

// Unpacks a line: a scene for the start and for the position behind each step, and the moves.
function lineOf(line, steps) {
  const cells = [line.start]
  for (const changes of line.changes) {
    const next = cells.at(-1).slice()
    for (let i = 0; i < changes.length; i += 2) next[changes[i]] = changes[i + 1]
    cells.push(next)
  }
  const [headlines, status, fields] = [line.headlines, line.status, line.fields].map(filled)
  const scenes = cells.map((cells, index) => ({
    cells, step: steps[index - 1], frames: line.frames[index], signs: line.signs[index], headline: headlines[index],
    status: status[index], fields: fields[index], toSet: line.to_set[index] ?? 0,
  }))
  let turn = 0
  const moves = line.sides.map((side, index) => {
    turn += line.turns[index]
    const of = column => column[index] ?? null
    const time = of(line.times)
    const note = time === null ? null : {
      time, clock: of(line.clocks), depth: of(line.depths), nodes: of(line.nodes), score: of(line.scores),
    }
    return {side, turn, note, length: line.lengths[index], mark: of(line.marks) ?? '', comment: of(line.comments) || null}
  })
  const variations = (line.variations ?? []).map(({before, comment, steps, line}) => ({before, comment, steps, line: lineOf(line, steps)}))
  return {scenes, moves, variations}
}

// Returns the line that leaves another one for a variation.
function leave(line, {before, comment, line: other}) {
  const steps = line.moves.slice(0, before).reduce((sum, {length}) => sum + length, 0)
  const shift = variation => ({...variation, before: variation.before + before})
  const [first, ...rest] = other.moves
  const moves = [...line.moves.slice(0, before), ...first ? [{...first, comment: first.comment ?? comment}] : [], ...rest]
  return {
    scenes: [...line.scenes.slice(0, steps + 1), ...other.scenes.slice(1)], moves, variations: other.variations.map(shift),
    parent: line, leaves: before,
  }
}

// Adds to a game the turns of a line, and for each step its move and its turn.
function assemble(shown, line) {
  const {scenes, moves} = line
  const [turns, moveOf, turnOf] = [[], [null], [null]]
  const variations = [] // by their numbers in the list
  let begun = 0
  moves.forEach((move, index) => {
    const {side, turn, note, length, mark, comment} = move
    // A turn may be recorded in two parts.
    const same = turns.at(-1)?.turn === turn && turns.at(-1).side === NAMES[side]
    if (!same) turns.push({side: NAMES[side], turn, steps: [], ends: [], book: [], mark: '', comment: null, variations: []})
    const last = turns.at(-1)
    last.mark += mark
    last.comment = [last.comment, comment].filter(Boolean).join(' ') || null
    Object.assign(move, {first: begun + 1, last: begun + length})
    while (begun < move.last) {
      begun++
      last.steps.push(scenes[begun].step)
      last.ends.push(begun)
      last.book.push(note === null)
      moveOf.push(move)
      turnOf.push(last)
    }
    const vary = (line, text) => last.variations.push({node: variations.push(line) - 1, text})
    for (const variation of line.variations.filter(({before}) => before === index)) {
      vary(leave(line, variation), [variation.comment, movesText(variation.line)].filter(Boolean).join(': '))
    }
    if (line.parent && line.leaves === index) vary(line.parent, 'the game: ' + movesText({
      moves: line.parent.moves.slice(index), scenes: [null, ...line.parent.scenes.slice(move.first)],
    }))
  })
  return Object.assign(shown, {scenes, moves, turns, moveOf, turnOf, variations, line, steps: scenes.slice(1).map(({step}) => step)})
}

// The first moves of a line.
function movesText({moves, scenes}) {
  let at = 1
  return moves.slice(0, 4).map(({length}) => scenes.slice(at, at += length).map(({step}) => step).join()).join(' ')
}

// Goes to the first step of a variation, or back to the line that it has left.
function enter(number) {
  const line = game.variations[number]
  const from = line.leaves !== undefined && line.parent === game.line ? line : game.line
  const at = from.moves.slice(0, from.leaves).reduce((sum, {length}) => sum + length, 0)
  pause()
  game = assemble(game, line)
  showMoves()
  showGraph()
  go(Math.min(at + line.moves[from.leaves].length, line.scenes.length - 1))
}

// The expected score of Black, from 0 to 1, by the score that a player gave; null without one. Centipawns are the
// difference in Elo points that goes with the expected score; a text is a number of moves to the proven end.
function expected(move) {
  const score = move && move.note ? move.note.score : null
  if (score === null) return null
  const own = typeof score === 'number' ? 1 / (1 + 10 ** (-score / 400)) : score.startsWith('-') ? 0 : 1
  return move.side === 0 ? own : 1 - own
}

// The score of a move for Black, as the graph has it, whoever gave it.
function scoreText({side, note: {score}}) {
  if (typeof score === 'string') {
    const winner = score.startsWith('-') ? 1 - side : side
    return `${SIDES[winner]} wins in ${score.replace('-', '')}`
  }
  const black = side === 0 ? score : -score
  return (black < 0 ? '−' : '+') + (Math.abs(black) / 100).toFixed(2)
}

const seconds = ms => {
  if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + ' s'
  return clock(Math.floor(ms / 1000))
}
const count = number => number.toLocaleString('en-US')

// What is drawn once a game.

function showGame() {
  const {number, names, board, over, error, details} = game
  byId('game-title').replaceChildren(
    `Game ${number}: `, make('bdi', {}, names[0]), ' (Black) – ', make('bdi', {}, names[1]), ' (White)')
  byId('over').textContent = over
  byId('error').hidden = error === null
  byId('error').textContent = error ?? ''
  byId('details').replaceChildren(...details.flatMap(([name, text]) => [make('dt', {}, name), make('dd', {}, text)]))
  for (const side of [0, 1]) byId('name-' + side).textContent = names[side]
  for (const row of document.querySelectorAll('#list tbody tr')) {
    const isThis = row.querySelector('a').hash === '#game=' + number
    row.toggleAttribute('aria-current', isThis)
    if (isThis) {
      row.setAttribute('aria-current', 'true')
      reveal(row, row.closest('.scroll'))
    }
  }
  // A page of one game has it in its title.
  for (const id of ['previous-game', 'next-game', 'game-title']) byId(id).hidden = games.length === 1
  const index = games.findIndex(other => other.number === number)
  byId('previous-game').disabled = index === 0
  byId('next-game').disabled = index === games.length - 1
  byId('desk').hidden = byId('copying').hidden = !board
  if (!board) return
  const [width, height] = board.size
  byId('board').setAttribute('viewBox', `0 0 ${width} ${height}`)
  byId('board').style.aspectRatio = `${width} / ${height}`
  forgetHeights()
  showMoves()
}

const forgetHeights = () => ['caption', 'note'].forEach(id => (byId(id).style.minHeight = ''))

function showMoves() {
  const start = make('button', {type: 'button', className: 'step', 'data-step': 0}, 'start')
  const end = game.line.parent ? [] : [make('li', {className: 'whole'}, game.over)]
  moves.show(game.turns, [make('li', {className: 'whole'}, start)], end)
}

// The graph: a line for each player, or one for both where an engine has reviewed the game.
function showGraph() {
  if (!game.board) return
  const points = moves => moves.map(move => ({at: move.last, share: expected(move), sign: move.mark}))
  const lines = game.reviewed ? [{kind: 'black', points: points(game.moves).filter(({share}) => share !== null)}]
    : [0, 1].map(side => ({kind: NAMES[side], points: points(game.moves.filter(move => move.side === side))}))
  byId('score').hidden = lines.every(({points}) => points.every(({share}) => share === null))
  for (const key of document.querySelectorAll('.key')) key.hidden = game.reviewed
  byId('seen-by').textContent = game.reviewed ? ', by the review' : ', as seen by'
  graph.show(game.turns, lines)
  showCursor()
}

function showCursor() {
  const black = expected(game.moveOf[step])
  const score = black === null ? '' : `, expected score for Black ${percent(black)}`
  graph.mark(step, said() + score)
}

// What is drawn at every step.

function said() {
  const move = game.moveOf[step]
  if (!move) return 'Start'
  return `${SIDES[move.side]}, turn ${move.turn}: ${game.steps[step - 1]}`
}

function showStep() {
  const {board, steps, name} = game
  if (!board) return
  const scene = game.scenes[step]
  const use = (part, more = '') => `<use href="#${name}${part}"${more}/>`
  const pieces = scene.cells.map((piece, cell) => {
    const [x, y] = board.middles[cell]
    const turned = isFlipped ? ` transform="rotate(180 ${x} ${y})"` : ''
    return piece ? use(`p${piece - 1}`, ` x="${x}" y="${y}" class="piece"${turned}`) : ''
  })
  // All of it was drawn by the program; nothing in it is a text of strangers.
  const [below, above] = [scene.frames, scene.signs].map(numbers => numbers.map(number => board.marks[number]).join(''))
  byId('board').innerHTML = use('-ground') + below + use('-lines') + pieces.join('') + above
  const isEnd = step === steps.length && !game.line.parent
  const headline = game.unfinished && isEnd ? game.over : scene.headline
  byId('headline').textContent = headline
  byId('status').textContent = scene.status
  const set = scene.toSet
  byId('to-set').innerHTML = set ? use(`p${set - 1}`) : ''
  byId('to-set').toggleAttribute('hidden', !set)
  byId('position').value = position()
  byId('seen').textContent = seen()
  byId('said').textContent = `${said()}. ${headline}.`
  showNow()
  // What is below must not jump from step to step.
  for (const id of ['caption', 'note']) byId(id).style.minHeight = byId(id).offsetHeight + 'px'
  for (const side of [0, 1]) showSeat(side)
  moves.mark(step)
  for (const id of ['first', 'turn-back', 'back']) byId(id).disabled = step === 0
  for (const id of ['last', 'turn-on', 'on']) byId(id).disabled = step === steps.length
  showCursor()
}

// The text of the position.
function position() {
  const {board} = game
  const text = cell => {
    const piece = game.scenes[step].cells[cell]
    return piece ? board.pieces[piece - 1][0] : '.'
  }
  return board.rows.map(row => row.map(text).join('')).join('/') + ' ' + game.scenes[step].fields
}

// The position in words.
function seen() {
  const {board} = game
  const of = side => {
    const texts = []
    game.scenes[step].cells.forEach((piece, cell) => {
      const [, color, value] = piece ? board.pieces[piece - 1] : []
      if (color === side) texts.push(board.labels[cell] + (value === null ? '' : ` (${value})`))
    })
    return texts.length ? `${SIDES[side]}: ${texts.join(', ')}.` : `${SIDES[side]} has no pieces.`
  }
  return `${of(0)} ${of(1)} ${game.scenes[step].status.replaceAll('\n', '. ')}`
}

function showNow() {
  const move = game.moveOf[step]
  const facts = []
  byId('remark').textContent = move?.comment ?? ''
  if (!move) {
    byId('now').textContent = `Start, ${game.moves.length} moves`
  } else {
    const {ends} = game.turnOf[step]
    const part = ends.length > 1 ? `, step ${ends.indexOf(step) + 1} of ${ends.length}` : ''
    byId('now').textContent = `Turn ${move.turn}, ${SIDES[move.side]}: ${game.steps[step - 1]}${move.mark}${part}`
    const note = move.note
    if (note === null) {
      facts.push(['search', 'none: a move of the opening'])
    } else {
      if (note.time) facts.push(['time', seconds(note.time)])
      if (note.clock !== null) facts.push(['clock', seconds(note.clock) + ' left'])
      if (note.depth !== null) facts.push(['depth', count(note.depth)])
      if (note.nodes !== null) facts.push(['nodes', count(note.nodes)])
      if (note.score !== null) {
        facts.push(['score for Black', scoreText(move)])
        facts.push(['expected score for Black', percent(expected(move))])
      }
    }
  }
  byId('note').replaceChildren(...facts.map(([name, text]) => make('div', {}, make('dt', {}, name), make('dd', {}, text))))
}

// The player: sign, name, and what is left of the clock, or the time used so far.
function showSeat(side) {
  const done = game.moves.filter(move => move.side === side && move.last <= step && move.note)
  const left = done.length ? done.at(-1).note.clock : null
  const used = done.reduce((sum, move) => sum + move.note.time, 0)
  const clock = left !== null ? `${seconds(left)} left` : used ? `${seconds(used)} used` : ''
  const seat = byId('seat-' + side)
  seat.replaceChildren(sign(side), make('bdi', {className: 'name'}, game.names[side]), make('span', {className: 'clock'}, clock))
  const next = game.turnOf[step + 1]
  seat.removeAttribute('aria-current')
  if (next ? next.side === NAMES[side] : game.winner === side) seat.setAttribute('aria-current', 'true')
}

// Moving about.

let address // of the place, written once the hand rests: browsers limit how often

function go(to) {
  if (!game.board) return
  step = Math.max(0, Math.min(game.steps.length, to))
  if (step === game.steps.length) pause()
  showStep()
  keepPlace()
}

function keepPlace() {
  clearTimeout(address)
  address = setTimeout(() => {
    try {
      history.replaceState(null, '', `#game=${game.number}&step=${step}`)
    } catch {
      // Without an address the page works as well.
    }
  }, 200)
}

// Goes where a button or a key of this name leads.
const goBy = name => game.board && go(around(game.turns, step)[name])

function pause() {
  clearInterval(timer)
  timer = undefined
  byId('run').setAttribute('aria-pressed', 'false')
  byId('run').setAttribute('aria-label', 'Play')
}

function run() {
  if (timer !== undefined || !game.board) return pause()
  if (step === game.steps.length) go(0)
  timer = setInterval(() => go(step + 1), PACE / byId('speed').value)
  byId('run').setAttribute('aria-pressed', 'true')
  byId('run').setAttribute('aria-label', 'Pause')
}

async function goToGame(number, to = 0) {
  const given = games.find(game => game.number === number) || games[0]
  wanted = given.number
  pause()
  if (!game || game.number !== given.number) {
    const opened = await open(given)
    if (wanted !== given.number) return
    game = opened
    step = 0
    showGame()
    byId('app').hidden = false
    showGraph()
    keepPlace()
  }
  go(to)
}

function nextGame(by) {
  const next = games[games.findIndex(other => other.number === game.number) + by]
  if (next) goToGame(next.number)
}

function goToAddress() {
  const {game: number, step: to} = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
  const whole = text => /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
  return goToGame(whole(number) ?? games[0].number, whole(to))
}

function jump(at) {
  pause()
  go(at)
}

const moves = createMoves(byId('moves'), jump, 0, (_, number) => enter(number), true)
const graph = createGraph(byId('graph'), jump)

let isFlipped = false
function flip() {
  isFlipped = !isFlipped
  byId('play').classList.toggle('flipped', isFlipped)
  byId('flip').setAttribute('aria-pressed', isFlipped)
  if (game.board) showStep()
}

const ACTIONS = {
  run,
  flip,
  'previous-game': () => nextGame(-1),
  'next-game': () => nextGame(1),
  async copy() {
    await copy(byId('position').value, byId('copy'))
    byId('said').textContent = 'Position copied'
  },
}
for (const name of ['first', 'turn-back', 'back', 'on', 'turn-on', 'last']) ACTIONS[name] = () => goBy(name)

// Actions that let the game run on.
const STILL = ['run', 'copy', 'flip']

const KEYS = {
  ArrowLeft: 'back', ArrowRight: 'on', ArrowUp: 'turn-back', ArrowDown: 'turn-on', Home: 'first', End: 'last', ' ': 'run',
  p: 'previous-game', n: 'next-game', f: 'flip',
}

function listen() {
  for (const [id, act] of Object.entries(ACTIONS)) {
    byId(id).addEventListener('click', () => {
      if (!STILL.includes(id)) pause()
      act()
    })
  }
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return
    if (event.target.closest('input, select')) return
    if (event.key === ' ' && event.target.closest('button, a, summary')) return
    let id = KEYS[event.key] || KEYS[event.key.toLowerCase()]
    if (!id) return
    if (event.shiftKey && (id === 'back' || id === 'on')) id = 'turn-' + id
    event.preventDefault()
    if (!STILL.includes(id)) pause()
    ACTIONS[id]()
  })
  byId('speed').addEventListener('change', () => {
    if (timer === undefined) return
    pause()
    run()
  })
  new ResizeObserver(() => {
    if (!game) return
    forgetHeights()
    if (game.board) showStep()
  }).observe(byId('graph'))
  addEventListener('hashchange', goToAddress)
  byId('list')?.addEventListener('click', event => {
    const link = event.target.closest('tbody tr')?.querySelector('a')
    if (!link) return
    event.preventDefault()
    goToGame(Number(link.hash.slice('#game='.length)))
    byId('app').scrollIntoView()
  })
}

async function begin() {
  if (typeof DecompressionStream === 'undefined') {
    byId('trouble').hidden = false
    byId('trouble').textContent = 'This browser is too old for the board: below are the final positions and the moves.'
    return
  }
  document.documentElement.classList.add('live')
  byId('games').hidden = true
  listen()
  await goToAddress()
}

begin()
