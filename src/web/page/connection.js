// The connection to the program: requests, and the stream of states. Where it breaks, it is made again, and the game of
// the tab is opened again.

import {PLAYERS, TAB, linkOfAddress, recall, remember, setAddress} from './storage.js'
import {byId} from './viewer.js'

const RETRY = 1000 // milliseconds until the next attempt to connect
const ENDED = 4 // failed attempts until the program counts as ended
const TURN = 500 // milliseconds until a page that made room for another one watches again
const SILENCE = 1500 // milliseconds without an answer after which the page says so

const sleep = ms => new Promise(done => setTimeout(done, ms))

function say(text) {
  if (byId('connection').textContent !== text) byId('connection').textContent = text
  byId('connection').hidden = false
}

// Sends a request, and returns the status and the answer.
export async function post(path, content) {
  const waiting = setTimeout(() => say('The program does not answer. Is it stopped, by Ctrl-Z say?'), SILENCE)
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

// `current` returns the state shown or null, `begin` shows the game of a tab that was opened, with the games and levels
// that there are, `show` a newer state, and `toast` an error, or nothing where none is left.
export function createConnection({current, begin, show, toast}) {
  let tab // the name of this tab at the server
  let events = null // the stream of states
  let newest = null // the last event of the stream that is not shown yet
  let began = 0 // when it was asked for, by performance.now()
  let attempts = 0 // failed attempts to connect in a row
  let last = Promise.resolve() // the last request: they are sent one after the other

  const pathOf = (path, name = tab) => `${path}?tab=${encodeURIComponent(name)}`

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
    remember(TAB, tab)
    begin(answer)
    stopListening()
    listenIfSeen()
    return !isRefused
  }

  // Tells the server who played at this page before; returns the state then, or null.
  async function seat(name) {
    const known = JSON.parse(recall(PLAYERS))
    if (!known) return null
    const path = pathOf('do', name)
    await post(path, {do: 'level', level: known.level})
    const {answer} = await post(path, {do: 'players', black: known.black, white: known.white})
    return answer.state
  }

  function listen() {
    began = performance.now()
    events = new EventSource(pathOf('events'))
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
    if (document.hidden && !current()?.thinking) stopListening()
    else if (!events && tab && attempts === 0) listen()
  }

  function connected() {
    attempts = 0
    byId('connection').hidden = true
  }

  function complain(error) {
    const ended = attempts > ENDED
      ? 'The program has ended. Start pentalith board again; “Record, link” still has this game.'
      : 'Connection lost, reconnecting …'
    say(error.isAnswer ? error.message : ended)
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
        await open(current()?.link ?? linkOfAddress())
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
        reply = await post(pathOf('do'), action)
        if (reply.status === 404) {
          await open(current()?.link ?? null)
          reply = await post(pathOf('do'), action)
        }
      } catch {
        lost()
        return 'The program does not answer'
      }
      if (reply.answer.state) show(reply.answer.state)
      const error = reply.status === 200 ? null : reply.answer.error ?? `status ${reply.status}`
      if (error && !quiet) toast(error)
      // What was wrong before matters no more.
      if (!error && !current().message) toast(null)
      return error
    })
    last = sent.catch(() => {})
    return sent
  }

  return {act, lost, open, pathOf, showNewest}
}
