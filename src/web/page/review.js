// The review of the game: the graph, the moves that decided it, and the mistakes to try again.

import {byId, createGraph, make, percent} from './viewer.js'

// `act` sends an action, `go` goes to a number of plays.
export function createReview({act, go}) {
  const graph = createGraph(byId('graph'), go)
  let shown = ''
  let isAdvised = false // whether the better move of the present mistake was asked for

  function button(label, click, attributes = {}) {
    const element = make('button', {type: 'button', textContent: label, ...attributes})
    element.addEventListener('click', click)
    return element
  }

  const retry = what => () => {
    isAdvised = false
    act({do: 'retry', what})
  }

  // The mistake to try again, what was tried, and what may be done.
  function trial({place, count, headline, tried, verdict, advice, better}) {
    const lines = [`Mistake ${place} of ${count}: ${headline}.`]
    if (!tried) lines.push('Find a better move.')
    else if (!verdict) lines.push(`${tried}: looking at it …`)
    else {
      const change = `${percent(verdict.before)} before, ${percent(verdict.after)} after`
      lines.push(`${tried} ${verdict.keeps ? 'keeps the value' : 'loses, too'}: ${change}.`)
    }
    if (isAdvised) lines.push(advice)
    const advise = () => {
      isAdvised = true
      if (better !== null) act({do: 'node', node: better})
    }
    return [lines, [
      button(place < count ? 'Next' : 'Finish', retry('next'), {id: 'retry-next', className: verdict?.keeps ? 'first' : ''}),
      tried && button('Try again', retry('again'), {id: 'retry-again'}),
      !isAdvised && better !== null && button('Show it', advise, {id: 'retry-show'}),
      place < count && button('End', retry('end'), {id: 'retry-end'}),
    ]]
  }

  function parts({running, done, mistakes, retry: trying, decided}, isOver) {
    if (trying) return trial(trying)
    if (running) {
      return [[`Reviewing: ${running[0]} of ${running[1] || '…'} searches`], [button('Stop', () => act({do: 'review', on: false}))]]
    }
    if (!done) return [[], [button('Review this game', () => act({do: 'review', on: true}), {id: 'review-game', className: isOver ? 'first' : ''})]]
    const again = mistakes ? [button(`Retry my mistakes (${mistakes})`, retry('begin'), {id: 'retry', className: 'first'})] : []
    return [decided.length ? ['What decided it:'] : ['No mistake was found.'], again]
  }

  // A decisive move: a click goes to the position before it, or to the better line.
  const decisive = ({node, better, text, advice}) => make('li', {},
    button(text, () => act({do: 'node', node}), {className: 'link', title: 'Go to the position before it'}), ' ',
    advice, ' ', better === null ? '' : button('Play the better line', () => act({do: 'variation', node: better}), {className: 'link better'}))

  return {
    show({review, plays, result}, turns) {
      byId('review').hidden = !review
      if (!review) return
      const points = turns.filter(({expected}) => expected !== undefined)
        .map(({ends, expected, mark}) => ({at: ends.at(-1), share: expected, sign: mark}))
      const hasGraph = points.length > 1
      byId('graph').toggleAttribute('hidden', !hasGraph)
      if (hasGraph) {
        graph.show(turns, [{kind: 'black', points}])
        const here = points.find(({at}) => at === plays)
        graph.mark(plays, here ? `Black ${percent(here.share)}` : `play ${plays}`)
      }
      if (!review.retry) isAdvised = false
      const key = JSON.stringify([review, isAdvised, result])
      if (key === shown) return
      shown = key
      const [lines, buttons] = parts(review, result !== null)
      byId('review-text').replaceChildren(...lines.map(text => make('span', {textContent: text})))
      byId('decided').replaceChildren(...review.done && !review.retry && !review.running ? review.decided.map(decisive) : [])
      byId('review-buttons').replaceChildren(...buttons.filter(Boolean))
    },
  }
}
