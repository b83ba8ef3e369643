// The page of `pentalith board`. It has no rules: the server sends the state of the game with the picture of the board,
// and the page shows it and sends clicks. Texts become text nodes, never markup; only the picture, which the server
// draws and escapes itself, is markup.

import {createCells} from './cells.js'
import {createDialogs} from './dialogs.js'
import {showPicture} from './picture.js'
import {createReview} from './review.js'
import {createSetup} from './setup.js'
import {around, byId, clock, createMoves, make, percent, title} from './viewer.js'

// Keys in the storage of the browser's tab: the tab's name at the server, the address that holds its game, who plays,
// and the level.
const TAB = 'pentalith-tab'
const ADDRESS = 'pentalith-address'
const PLAYERS = 'pentalith-players'
const RETRY = 1000 // milliseconds until the next attempt to connect
const ENDED = 4 // failed attempts until the program counts as ended
const TURN = 500 // milliseconds until a page that made room for another one watches again
const STEP = 400 // milliseconds for which each step of the engine's play is shown
const SILENCE = 1500 // milliseconds without an answer after which the page says so
// Changes of the address: so many at once, and then one each so many milliseconds. Safari throws above 100 in 30 s.
const CHANGES = 20
const CHANGE = 1500
const SIDES = ['black', 'white']
const other = side => side === 'black' ? 'white' : 'black'

let tab // the name of this tab at the server
let state = null // the state shown
let received = 0 // when it was received, by performance.now()
let events = null // the stream of states
let newest = null // the last event of the stream that is not shown yet
let began = 0 // when it was asked for, by performance.now()
let attempts = 0 // failed attempts to connect in a row
let lines = 0 // the most lines of status that this game had
let games = []
let levels = []
let declined = null // the position in which the person plays on, rather than swap
let last = Promise.resolve() // the last request: they are sent one after the other

// Sets a property where it changes: a page that changes nothing costs nothing.
function set(element, property, value) {
  if (element[property] !== value) element[property] = value
}

const say = (id, text) => set(byId(id), 'textContent', text)

// What a reload finds again. A browser that keeps no cookies may refuse the storage: then a reload opens the link.
function recall(key) {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

function remember(key, text) {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // Nothing depends on it.
  }
}

// ---- The server ----

async function post(path, content) {
  const waiting = setTimeout(() => {
    say('connection', 'The program does not answer. Is it stopped, by Ctrl-Z say?')
    byId('connection').hidden = false
  }, SILENCE)
  let reply, text
  try {
    reply = await fetch(path, {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(content), cache: 'no-store',
    })
    text = await reply.text()
  } finally {
    clearTimeout(waiting)
  }
  byId('connection').hidden = true
  let answer
  try {
    answer = JSON.parse(text)
  } catch {
    answer = {error: text.slice(0, 300) || `the program answers with status ${reply.status}`}
  }
  return {status: reply.status, answer}
}

const linkOfAddress = () => {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null
  } catch {
    return null
  }
}

// Opens the tab at the server, or opens it again with its game. Returns false if the link does not open.
async function open(link) {
  let {status, answer} = await post('open', {tab: recall(TAB), link})
  const isRefused = status === 409 && link
  if (isRefused) {
    toast(`The link does not open: ${answer.error}`)
    setAddress(location.pathname);
    ({status, answer} = await post('open', {tab: null, link: null}))
  }
  // Refused, and not unreachable: the page says why.
  if (status !== 200) throw Object.assign(new Error(answer.error), {isAnswer: true})
  // The server has forgotten this tab: the link holds the game, and not who plays it.
  if (link && answer.tab !== recall(TAB)) answer.state = await seat(answer.tab) ?? answer.state
  if (tab && answer.tab !== tab) toast('The board was closed to make room for others. Its game is open again.')
  tab = answer.tab
  remember(TAB, tab);
  ({games, levels} = answer)
  state = null
  show(answer.state)
  byId('app').hidden = false
  stopListening()
  listenIfSeen()
  return !isRefused
}

// Tells the server who played at this page before; returns the state then, or null.
async function seat(name) {
  const known = JSON.parse(recall(PLAYERS))
  if (!known) return null
  const path = 'do?tab=' + encodeURIComponent(name)
  await post(path, {do: 'level', level: known.level})
  const {answer} = await post(path, {do: 'players', black: known.black, white: known.white})
  return answer.state
}

function listen() {
  began = performance.now()
  events = new EventSource('events?tab=' + encodeURIComponent(tab))
  events.onopen = () => connected()
  events.onmessage = message => {
    connected()
    // Only the newest state is drawn, as often as the browser draws: an engine may play faster.
    if (newest === null) document.hidden ? setTimeout(showNewest, 1000) : requestAnimationFrame(showNewest)
    newest = message.data
  }
  // The browser has few connections to the program, which are for all of its tabs: they take turns.
  events.addEventListener('later', () => {
    stopListening()
    setTimeout(listenIfSeen, TURN)
  })
  events.onerror = () => lost()
}

function showNewest() {
  const text = newest
  newest = null
  if (text !== null) show(JSON.parse(text))
  listenIfSeen()
}

function stopListening() {
  events?.close()
  events = null
}

// A page that nobody sees gives its connection to others, and ends its analysis. It waits for the move of an engine.
function listenIfSeen() {
  if (document.hidden && !state?.thinking) stopListening()
  else if (!events && tab && attempts === 0) listen()
}

function connected() {
  attempts = 0
  byId('connection').hidden = true
}

const sleep = ms => new Promise(done => setTimeout(done, ms))

function complain(error) {
  const ended = attempts > ENDED
    ? 'The program has ended. Start pentalith board again; “Record, link” still has this game.'
    : 'Connection lost, reconnecting …'
  say('connection', error.isAnswer ? error.message : ended)
  byId('connection').hidden = false
}

// Connects again, and opens the game again if the server has forgotten the tab.
async function lost() {
  if (attempts > 0) return
  attempts = 1
  stopListening()
  // A stream that ends at once is not asked for again at once.
  if (performance.now() - began < 5 * RETRY) await sleep(RETRY)
  while (true) {
    try {
      await open(state?.link ?? linkOfAddress())
      connected()
      return listenIfSeen()
    } catch (error) {
      complain(error)
      attempts++
      await sleep(attempts > ENDED ? 5 * RETRY : RETRY)
    }
  }
}

// Sends an action after those before it; returns the error, if there is one. `quiet` errors get no toast.
function act(action, quiet = false) {
  const sent = last.then(async () => {
    let reply
    try {
      reply = await post('do?tab=' + encodeURIComponent(tab), action)
      if (reply.status === 404) {
        await open(state?.link ?? null)
        reply = await post('do?tab=' + encodeURIComponent(tab), action)
      }
    } catch {
      lost()
      return 'The program does not answer'
    }
    if (reply.answer.state) show(reply.answer.state)
    const error = reply.status === 200 ? null : reply.answer.error ?? `status ${reply.status}`
    if (error && !quiet) toast(error)
    // What was wrong before matters no more.
    if (!error && !state.message) hideToast()
    return error
  })
  last = sent.catch(() => {})
  return sent
}

// ---- What is shown ----

let timer
function toast(text) {
  const bar = byId('toast')
  bar.textContent = text
  bar.classList.add('shown')
  clearTimeout(timer)
  timer = setTimeout(() => bar.classList.remove('shown'), 4000 + 60 * text.length)
}

const hideToast = () => byId('toast').classList.remove('shown')

const cells = createCells(byId('cells'), label => editor.isActive() ? editor.click(label) : act({do: 'click', point: label}))

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

// Shows the steps of the engine's play one by one, before the position behind it. A click or a key ends it.
async function showSteps() {
  const {version} = state
  replay = {version, end: () => {}}
  let frames
  try {
    frames = await (await fetch('frames?tab=' + encodeURIComponent(tab))).json()
  } catch {
    frames = []
  }
  for (const frame of frames.slice(0, -1)) {
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

function show(next) {
  if (state && next.version <= state.version) return
  const before = state
  state = next
  received = performance.now()
  if (!editor.isActive()) showState(before)
}

function showState(before) {
  // The engine has just played several steps.
  const isNew = before?.variant === state.variant && state.plays > before.plays && state.replayed > 1
  if (isNew && !replay && !document.hidden && !isStill.matches) {
    byId('board').classList.add('replaying')
    showSteps()
  } else if (replay && (state.plays !== before.plays || state.replayed < 2)) endSteps()
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
  showAddress()
  dialogs.show(state)
  byId('app').dataset.version = state.version
}

let changes = CHANGES // how many changes of the address are allowed now
let changed = 0 // when that was computed, by performance.now()
let later = null // the timer of a change

// The address holds the whole game.
function showAddress() {
  const hash = '#' + encodeURIComponent(state.link)
  if (location.hash === hash) remember(ADDRESS, hash)
  if (location.hash === hash || later) return
  const now = performance.now()
  changes = Math.min(CHANGES, changes + (now - changed) / CHANGE)
  changed = now
  if (changes >= 1 && setAddress(hash)) changes--
  else {
    later = setTimeout(() => {
      later = null
      showAddress()
    }, CHANGE)
  }
}

// Returns false if the browser refuses.
function setAddress(address) {
  try {
    history.replaceState(null, '', address)
    remember(ADDRESS, address)
    return true
  } catch {
    return false
  }
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
  const {on, expected, nodes, lines} = state.analysis
  byId('evaluation').hidden = !on
  if (!on || JSON.stringify(before?.analysis) === JSON.stringify(state.analysis)) return
  const known = expected !== null
  byId('share').style.width = known ? `${100 * expected}%` : '50%'
  byId('bar').setAttribute('aria-valuenow', Math.round(known ? 100 * expected : 50))
  byId('bar').setAttribute('aria-valuetext', known ? `Black ${percent(expected)}` : 'not known yet')
  say('black-share', known ? `Black ${percent(expected)}` : 'Black')
  say('white-share', known ? `White ${percent(1 - expected)}` : 'White')
  say('nodes', state.result ? 'the game is over' : `${nodes.toLocaleString('en')} nodes`)
  const isOpen = new Set([...byId('lines').querySelectorAll('.open')].map(row => row.dataset.move))
  byId('lines').replaceChildren(...lines.map(({move, percent, depth, line}, index) => make('tr',
    {className: isOpen.has(move) ? 'open' : '', 'data-move': move, title: 'Unfold the line'},
    make('td', {}, button(move, () => act({do: 'step', text: move}), {title: `Play ${move}`, className: 'play'})),
    make('td', {textContent: lines[index - 1]?.percent === percent ? '=' : percent,
      title: `${title(state.side)}: ${percent}`, className: 'number'}),
    make('td', {textContent: depth, className: 'number'}), make('td', {textContent: line, title: line}))))
}

byId('lines').addEventListener('click', event => event.target.closest('tr')?.classList.toggle('open'))

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

const dialogs = createDialogs({act, toast, edit: () => editor.start(state), data: () => ({state, games, levels, tab})})

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
byId('toast').addEventListener('click', hideToast)
byId('yes').addEventListener('click', () => act({do: 'step', text: state.question.yes}))
// To play on is to make a move: the question goes away, and the board waits for it.
byId('no').addEventListener('click', () => {
  declined = state.position
  showChoice()
})

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
  const link = linkOfAddress()
  if (!state || !link || link === state.link) return
  act({do: 'load', text: link}).then(error => error && showAddress())
})

// A reload resumes the tab's game; another address, of a bookmark say, brings its own.
const bookmark = location.hash !== recall(ADDRESS) ? linkOfAddress() : null
open(linkOfAddress()).then(isOpen => {
  if (isOpen && bookmark && bookmark !== state.link) act({do: 'load', text: bookmark})
}).catch(() => lost())
