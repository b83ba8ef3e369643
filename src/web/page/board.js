// The page of `pentalith board`. It has no rules: the server sends the state of the game with the picture of the board,
// and the page shows it and sends clicks. Texts become text nodes, never markup; only the picture, which the server
// draws and escapes itself, is markup.

import {createCells} from './cells.js'
import {createConnection, post} from './connection.js'
import {createDialogs} from './dialogs.js'
import {showPicture} from './picture.js'
import {createReview} from './review.js'
import {createSetup} from './setup.js'
import {ADDRESS, PLAYERS, linkOfAddress, recall, remember, showAddress} from './storage.js'
import {around, byId, clock, createMoves, make, percent, title} from './viewer.js'

const STEP = 400 // milliseconds for which each step of the engine's play is shown
const SIDES = ['black', 'white']
const other = side => side === 'black' ? 'white' : 'black'

let state = null // the state shown
let received = 0 // when it was received, by performance.now()
let lines = 0 // the most lines of status that this game had
let games = []
let levels = []
let declined = null // the position in which the person plays on, rather than swap

// Sets a property where it changes: a page that changes nothing costs nothing.
function set(element, property, value) {
  if (element[property] !== value) element[property] = value
}

const say = (id, text) => set(byId(id), 'textContent', text)

// ---- What is shown ----

let timer
// Shows a message for a while, or none any more.
function toast(text) {
  const bar = byId('toast')
  clearTimeout(timer)
  bar.classList.toggle('shown', text !== null)
  if (text === null) return
  bar.textContent = text
  timer = setTimeout(() => bar.classList.remove('shown'), 4000 + 60 * text.length)
}

const {act, lost, open, pathOf, showNewest} = createConnection({
  current: () => state,
  begin(opened) {
    ({games, levels} = opened)
    state = null
    show(opened.state)
    byId('app').hidden = false
  },
  show,
  toast,
})

const cells = createCells(byId('cells'), byId('picture'), label => editor.isActive() ? editor.click(label) : act({do: 'click', point: label}))

const editor = createSetup({
  post,
  begin: text => act({do: 'position', text}, true),
  draw({svg, cells: edited}) {
    showPicture(byId('picture'), svg)
    cells.show({...state, cells: edited, points: edited.map(({label}) => label), targets: [], removals: [], selected: null})
  },
  ended() {
    showPicture(byId('picture'), state.svg)
    showState(null)
  },
})

let replay = null // the steps of the engine's play that are being shown: the version of its state, and how to end it
const isStill = matchMedia('(prefers-reduced-motion: reduce)')

// The step that led to the position of a state.
const lastStep = ({moves, plays}) => moves.flatMap(move => move.steps.filter((_, i) => move.plays[i] === plays)).at(-1)

// Shows the steps of the engine's play one by one, before the position behind it, and before them the pictures `first`.
// A click or a key ends it.
async function showSteps(first) {
  const {version} = state
  replay = {version, end: () => {}}
  let frames
  try {
    frames = await (await fetch(pathOf('frames'))).json()
  } catch {
    frames = []
  }
  for (const frame of [...first, ...frames].slice(0, -1)) {
    if (replay?.version !== version) return
    showPicture(byId('picture'), frame)
    await new Promise(done => {
      replay.end = done
      setTimeout(done, STEP)
    })
  }
  if (replay?.version === version) endSteps()
}

function endSteps() {
  if (!replay) return false
  const {end} = replay
  replay = null
  showPicture(byId('picture'), state.svg)
  byId('board').classList.remove('replaying')
  end()
  return true
}

const link = () => state.link

function show(next) {
  if (state && next.version <= state.version) return
  const before = state
  state = next
  received = performance.now()
  if (!editor.isActive()) showState(before)
}

function showState(before) {
  // The engine has just played several steps, or has answered a swap, which is to be seen.
  const isNew = before?.variant === state.variant && state.plays > before.plays
  const first = isNew && lastStep(before) === 'swap' ? [before.svg] : []
  if (isNew && first.length + state.replayed > 1 && !replay && !document.hidden && !isStill.matches) {
    byId('board').classList.add('replaying')
    showSteps(first)
  } else if (replay && (state.plays !== before.plays || !state.replayed)) endSteps()
  if (before?.svg !== state.svg && !replay) showPicture(byId('picture'), state.svg)
  cells.show(state)
  byId('board').style.aspectRatio = `${state.view[0]} / ${state.view[1]}`
  const [name] = state.variant.split(':')
  say('game', name.charAt(0).toUpperCase() + name.slice(1))
  say('variant', state.variant.slice(name.length + 1))
  set(document, 'title', `${state.headline} – ${state.variant}`)
  say('headline', state.headline)
  say('status', state.status.join('\n'))
  // Lines that go away leave their place: nothing below them jumps.
  lines = before?.variant === state.variant ? Math.max(lines, state.lines) : state.lines
  byId('status').style.setProperty('--lines', lines)
  if (before?.variant !== state.variant) byId('choice').classList.remove('tall')
  byId('state').classList.toggle('over', state.result !== null)
  showSeats()
  showChoice()
  showControls()
  showAnalysis(before)
  showMoves()
  if (before && before.headline !== state.headline) announce(before)
  if (state.message && state.message !== before?.message) toast(state.message)
  showAddress(link)
  dialogs.show(state)
  byId('app').dataset.version = state.version
}

// Says the last move and whose turn it is, for those who do not see the board.
function announce(before) {
  const move = state.moves.findLast(({plays}) => plays[0] <= state.plays)
  const steps = move?.steps.filter((_, i) => move.plays[i] <= state.plays)
  const text = state.plays > before.plays && move ? `${title(move.side)}: ${steps.join(', ')}. ` : ''
  say('announcement', text + (state.result?.text ?? state.headline))
}

function showSeats() {
  remember(PLAYERS, JSON.stringify({...state.players, level: state.level}))
  for (const side of SIDES) {
    const seat = byId('seat-' + side)
    const isToMove = !state.result && state.side === side
    const kind = state.players[side]
    const name = kind === 'engine' ? `engine, ${state.level}` : state.players[other(side)] === 'engine' ? 'you' : 'person'
    const thinks = isToMove && state.thinking
    set(seat.querySelector('.player'), 'textContent', state.result?.winner === side ? `${name} · wins` : name)
    seat.classList.toggle('thinking', thinks)
    if (isToMove) seat.setAttribute('aria-current', 'true')
    else seat.removeAttribute('aria-current')
    seat.title = `${title(side)}: ${name}. Change players, level, clocks`
  }
  showClocks()
}

function clockText(ms) {
  const rest = Math.max(0, ms)
  return rest < 10000 ? `0:0${(Math.floor(rest / 100) / 10).toFixed(1)}` : clock(Math.ceil(rest / 1000))
}

let ticking
function showClocks() {
  const {clocks} = state
  for (const side of SIDES) {
    const clock = byId('seat-' + side).querySelector('.clock')
    const spent = clocks?.running === side ? performance.now() - received : 0
    set(clock, 'textContent', clocks ? clockText(clocks[side] - spent) : '')
    clock.classList.toggle('low', Boolean(clocks) && clocks[side] - spent < 20000)
  }
  const runs = Boolean(clocks?.running) && !document.hidden
  if (runs && !ticking) ticking = setInterval(showClocks, 100)
  if (!runs && ticking) ticking = clearInterval(ticking)
}

const isCell = point => point !== 'pool' && point !== 'pass'

// What is to be done now.
function prompt() {
  if (state.review?.retry) return state.review.retry.tried ? '' : 'Find a better move.'
  if (state.result) return 'The game is over.'
  const isPersons = state.players[state.side] === 'person'
  if (state.thinking) return isPersons ? 'Looking for a hint …' : 'The engine is thinking …'
  if (state.waiting) return 'It is the engine’s move. It waits.'
  if (!isPersons) return ''
  if (state.selected === 'pool') return 'Choose where a piece of the Pool goes.'
  if (state.selected) return `Choose where ${state.selected} goes.`
  if (state.hint) return `Hint: ${state.hint.split(',').join(', ')}`
  if (state.expects) return `Now: ${state.expects}`
  return state.points.some(isCell) ? 'Choose a marked cell.' : ''
}

function button(label, click, attributes = {}) {
  const element = make('button', {type: 'button', textContent: label, ...attributes})
  element.addEventListener('click', click)
  return element
}

function showChoice() {
  const question = state.position === declined ? null : state.question
  say('prompt', question ? '' : prompt())
  const canReview = state.result && state.review && !state.review.done && !state.review.running
  const key = JSON.stringify([state.buttons, state.result, state.waiting, canReview])
  const group = byId('steps')
  if (group.dataset.shown !== key) {
    group.dataset.shown = key
    // The end of the turn is the last one, and apart.
    const buttons = state.buttons.map(({point, label, is_selected: isSelected}) => {
      const element = button(label, () => act({do: 'click', point}), {className: point === 'pass' ? 'first' : ''})
      element.dataset.point = point
      if (point === 'pool') element.setAttribute('aria-pressed', isSelected)
      return element
    })
    if (state.waiting) buttons.push(button('Let it move', () => act({do: 'now'}), {className: 'first', id: 'go'}))
    if (state.result) {
      if (canReview) buttons.push(button('Where did it go wrong?', () => act({do: 'review', on: true}), {id: 'review-now'}))
      buttons.push(button('Play again', () => act(again()), {className: 'first', id: 'again'}))
    }
    const focused = group.contains(document.activeElement) ? document.activeElement.dataset.point : undefined
    group.replaceChildren(...buttons)
    if (focused !== undefined) (buttons.find(button => button.dataset.point === focused) ?? buttons[0])?.focus()
  }
  const isAlone = !state.result && !state.clocks && SIDES.every(side => state.players[side] === 'engine')
  byId('pace-choice').hidden = !isAlone
  if (document.activeElement !== byId('pace')) byId('pace').value = state.pace
  byId('question').hidden = question === null
  if (question) {
    say('question-text', question.text)
  }
  group.hidden = question !== null
  // Buttons that go away leave their place.
  if (question || group.children.length) byId('choice').classList.add('tall')
}

function showControls() {
  const person = !state.result && state.players[state.side] === 'person'
  set(byId('undo'), 'disabled', !state.undo)
  set(byId('redo'), 'disabled', !state.redo)
  set(byId('hint'), 'disabled', !person)
  set(byId('engine'), 'disabled', Boolean(state.result))
  set(byId('resign'), 'disabled', Boolean(state.result))
  say('engine-label', state.thinking ? 'Move now' : 'Engine')
  byId('engine').title = state.thinking ? 'The engine moves now (E)' : 'The engine makes this move (E)'
  byId('analysis').setAttribute('aria-pressed', state.analysis.on)
}

function showAnalysis(before) {
  const {on, expected, nodes} = state.analysis
  byId('evaluation').hidden = !on
  if (!on || JSON.stringify(before?.analysis) === JSON.stringify(state.analysis)) return
  const known = expected !== null
  byId('share').style.width = known ? `${100 * expected}%` : '50%'
  byId('bar').setAttribute('aria-valuenow', Math.round(known ? 100 * expected : 50))
  byId('bar').setAttribute('aria-valuetext', known ? `Black ${percent(expected)}` : 'not known yet')
  say('black-share', known ? `Black ${percent(expected)}` : 'Black')
  say('white-share', known ? `White ${percent(1 - expected)}` : 'White')
  say('nodes', state.result ? 'the game is over' : `${nodes.toLocaleString('en')} nodes`)
  showLines()
}

const unfolded = new Set() // the moves whose lines are shown whole

function showLines() {
  const {lines} = state.analysis
  byId('lines').replaceChildren(...lines.flatMap(({move, percent, depth, line}, index) => [
    make('tr', {'data-move': move, title: unfolded.has(move) ? 'Fold the line' : 'Unfold the line'},
      make('td', {}, button(move, () => act({do: 'step', text: move}), {title: `Play ${move}`, className: 'play'})),
      make('td', {textContent: lines[index - 1]?.percent === percent ? '=' : percent,
        title: `${title(state.side)}: ${percent}`, className: 'number'}),
      make('td', {textContent: depth, className: 'number'}), make('td', {textContent: unfolded.has(move) ? '' : line, title: line})),
    ...unfolded.has(move) ? [make('tr', {className: 'whole', 'data-move': move}, make('td', {colSpan: 4, textContent: line}))] : [],
  ]))
}

byId('lines').addEventListener('click', event => {
  const move = event.target.closest('button') ? null : event.target.closest('tr')?.dataset.move
  if (!move) return
  if (!unfolded.delete(move)) unfolded.add(move)
  showLines()
})

// The moves, and behind them what was taken back. A click on a step goes to the position after it.
const turns = () => state.moves.map(({side, turn, steps, plays, variations, mark, comment, expected}, index) => {
  const isOpen = index === state.moves.length - 1 && !state.result && side === state.side && turn === state.turn
  return {side, turn, steps, ends: plays, isOpen, variations, mark, comment, expected}
})

const moves = createMoves(byId('moves'), go, -1, (what, node) => act({do: what, node}))

const review = createReview({act, go})

function showMoves() {
  const all = turns()
  moves.show(all)
  moves.mark(state.plays)
  review.show(state, all)
}

function go(plays) {
  if (plays !== state.plays) act({do: 'goto', plays})
}

// The current move stays in sight when the list becomes smaller.
new ResizeObserver(moves.resized).observe(byId('moves'))

// ---- What is done ----

const dialogs = createDialogs({act, toast, edit: () => editor.start(state), data: () => ({state, games, levels, pathOf})})

function engine() {
  if (!state.result) act({do: state.thinking || state.waiting ? 'now' : 'engine'})
}

// A new game of the same variant, with the same clocks.
function again() {
  const {variant, clocks} = state
  return {do: 'new', variant, clocks: clocks && {minutes: clocks.minutes, increment: clocks.increment}}
}

// Steps through the moves.
const step = where => () => go(around(turns(), state.plays)[where])
const flip = () => act({do: 'flip', on: !state.flipped})

const ACTIONS = {
  arrowleft: step('back'),
  arrowright: step('on'),
  f: flip,
  u: () => state.undo && act({do: 'undo'}),
  r: () => state.redo && act({do: 'redo'}),
  home: step('first'),
  end: step('last'),
  h: () => !byId('hint').disabled && act({do: 'hint'}),
  a: () => act({do: 'analysis', on: !state.analysis.on}),
  e: engine,
  n: dialogs.newGame,
  '?': dialogs.help,
}

for (const [id, key] of Object.entries({flip: 'f', undo: 'u', redo: 'r', hint: 'h', analysis: 'a', engine: 'e', new: 'n', keys: '?'})) {
  byId(id).addEventListener('click', ACTIONS[key])
}
for (const side of SIDES) byId('seat-' + side).addEventListener('click', dialogs.players)
byId('files').addEventListener('click', dialogs.files)
byId('rules-of-game').addEventListener('click', dialogs.rules)
byId('resign').addEventListener('click', dialogs.resign)
byId('toast').addEventListener('click', () => toast(null))
byId('yes').addEventListener('click', () => act({do: 'step', text: state.question.yes}))
// To play on is to make a move: the question goes away, and the board waits for it.
byId('no').addEventListener('click', () => {
  declined = state.position
  showChoice()
})

byId('pace').addEventListener('change', () => act({do: 'pace', seconds: Number(byId('pace').value)}))

byId('typing').addEventListener('submit', async event => {
  event.preventDefault()
  const text = byId('move').value.trim()
  if (text && !await act({do: 'step', text})) byId('move').value = ''
})

// Whether the focus came by keys: a cell that was clicked has it, too.
let isByKeys = false
addEventListener('pointerdown', () => { isByKeys = false }, {capture: true})

addEventListener('keydown', event => { if (event.key === 'Tab') isByKeys = true }, {capture: true})

document.addEventListener('keydown', event => {
  if (!state || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (event.key === 'Escape' && byId('rules').open) return byId('rules').close()
  if (document.querySelector('dialog[open]:not(#rules)') || event.target.matches('input, textarea, select')) return
  endSteps()
  if (editor.isActive()) return
  // Arrows scroll a list that has the focus, and move between cells that have it.
  if (event.target.id === 'moves' && event.key.startsWith('Arrow')) return
  const isOfBoard = isByKeys && byId('cells').contains(document.activeElement) && cells.key(event)
  const action = isOfBoard ? null : ACTIONS[event.key.toLowerCase()]
  if (!isOfBoard && !action) {
    if (!cells.key(event)) return
    isByKeys = true
  }
  event.preventDefault()
  if (action && !event.repeat) action()
})

// The wheel over the board steps through the moves, a step for each notch.
let turned = 0
byId('board').addEventListener('wheel', event => {
  if (!state || event.ctrlKey || editor.isActive()) return
  event.preventDefault()
  turned += event.deltaMode ? Math.sign(event.deltaY) * 100 : event.deltaY
  if (Math.abs(turned) < 60) return
  const where = turned > 0 ? 'on' : 'back'
  turned = 0
  endSteps()
  step(where)()
}, {passive: false})
byId('board').addEventListener('pointerdown', event => endSteps() && event.stopPropagation(), {capture: true})

document.addEventListener('visibilitychange', () => {
  if (!state) return
  showClocks()
  showNewest()
})

// A link that is pasted into the address of an open page.
addEventListener('hashchange', () => {
  const text = linkOfAddress()
  if (!state || !text || text === link()) return
  act({do: 'load', text}).then(error => error && showAddress(link))
})

// A reload resumes the tab's game; another address, of a bookmark say, brings its own.
const bookmark = location.hash !== recall(ADDRESS) ? linkOfAddress() : null
open(linkOfAddress()).then(isOpen => {
  if (isOpen && bookmark && bookmark !== state.link) act({do: 'load', text: bookmark})
}).catch(() => lost())
