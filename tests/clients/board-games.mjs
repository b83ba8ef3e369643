// Whole games on the board, by clicks and by keys.

import {strict as assert} from 'assert'
import {readFileSync} from 'fs'
import {join} from 'path'

import {
  cell, change, clickCell, close, folder, open, position, random, read, record, run, start, waitForDialog,
} from './board-page.mjs'

// Every game with a random player's seed, and what its moves must have had.
export const GAMES = [
  ['invector:5x4', 3, {'a swap': /^swap$/m}],
  ['gravel:3,x=3', 5, {
    'a removal': /\bx[a-d]\d/, 'the way to the Pool': /(^|,)-[a-d]\d/m, 'a relocation': /[a-d]\d[a-d]\d/,
    'an end': /,end$/m,
  }],
  ['markane:5x5', 2, {'a chain': /,/}],
  ['inversion:3', 2, {'an order of hexes': /,/}],
  ['invictus:stall=3', 9, {'a returned die': /^\d@\w+,\w+$/m}],
]

// A whole game by clicks on marked cells and buttons, with both sides.
export async function playGame(browser, address, [variant, seed, wanted]) {
  const page = await open(browser, address)
  await start(page, variant, 'persons')
  const next = random(seed)
  const pick = list => list[Math.floor(next() * list.length)]
  let state = await read(page)
  let clicks = 0
  for (; !state.isOver; clicks++) {
    assert.ok(clicks < 5000, 'no end')
    let action
    if (state.asks) action = () => page.locator('#yes').click()
    else if (state.captures.length && next() < 0.9) action = () => clickCell(page, pick(state.captures))
    else if (state.targets.length && next() < 0.8) action = () => clickCell(page, pick(state.targets))
    else {
      const buttons = state.buttons.filter(button => next() < (button === 'pool' ? 0.1 : 0.15))
      const points = state.points.filter(point => point !== state.selected)
      if (buttons.length || !points.length) {
        const point = pick(buttons.length ? buttons : state.buttons)
        action = () => page.locator(`#steps [data-point=${point}]`).click()
      } else action = () => clickCell(page, pick(points))
    }
    await change(page, action)
    state = await read(page)
  }
  const moves = state.moves.join('\n')
  for (const [what, pattern] of Object.entries(wanted)) assert.match(moves, pattern, `${variant} is without ${what}`)
  assert.match(state.headline, /^(Black|White) wins|^Draw/i)
  assert.deepEqual([state.points, state.targets, state.buttons], [[], [], []])
  await compareWithRules(page, variant, state)
  // The last choice can be taken back, and made again.
  await change(page, () => page.keyboard.press('u'))
  assert.equal((await read(page)).isOver, false)
  await change(page, () => page.keyboard.press('r'))
  assert.deepEqual(await read(page), state)
  // A click in the list of moves goes anywhere: back, forward, and to the ends by keys.
  const steps = page.locator('.step')
  const count = await steps.count()
  for (const index of [Math.floor(count / 2), 0, Math.floor(count / 3)]) {
    await change(page, () => steps.nth(index).evaluate(step => step.click()))
    assert.equal(await page.locator('.step:not(.ahead)').count(), index + 1, `${variant}: to step ${index}`)
    assert.equal(await steps.count(), count)
  }
  await change(page, () => page.keyboard.press('Home'))
  assert.deepEqual((await read(page)).moves, [])
  await change(page, () => page.keyboard.press('End'))
  assert.deepEqual(await read(page), state)
  await close(page)
  console.log(`${variant}: ${state.moves.length} moves by ${clicks} clicks, ${state.headline}`)
}

// The record of the game has the moves, the end and the result that the page shows.
async function compareWithRules(page, variant, state) {
  const name = variant.replaceAll(/\W/g, '-') + '.txt'
  await record(page, name)
  const replayed = run('replay', name, '--positions')
  const lines = replayed.split('\n').filter(line => line.includes('  ')).map(line => line.trim().split('  '))
  assert.deepEqual(lines.slice(1).map(([move]) => move), state.moves, variant)
  assert.equal(lines.at(-1)[1], await position(page), variant)
  const text = readFileSync(join(folder, name), 'utf8')
  const [winner] = state.headline.match(/^(Black|White) wins/) ?? ['draw']
  const result = {'White wins': '1-0', 'Black wins': '0-1', draw: '1/2-1/2'}[winner]
  assert.ok(text.includes(`[Result "${result}"]`), `${state.headline} is not in ${text}`)
}

// ---- Keys ----

const focused = page => page.evaluate(() => document.activeElement.dataset?.cell ?? null)

// Every cell can be reached by arrow keys; Enter clicks.
export async function playByKeys(browser, address) {
  const page = await open(browser, address)
  for (const variant of ['inversion:3', 'markane:4x4']) {
    await start(page, variant, 'persons')
    await page.locator('#rules-of-game').focus()
    await page.keyboard.press('Shift+Tab')
    const ways = new Map()
    const open = [await focused(page)]
    while (open.length) {
      const from = open.pop()
      if (ways.has(from)) continue
      ways.set(from, [])
      for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
        await cell(page, from).focus()
        await page.keyboard.press(key)
        const to = await focused(page)
        ways.get(from).push(to)
        open.push(to)
      }
    }
    assert.equal(ways.size, await page.locator('.cell').count(), variant)
  }
  // A board of another size is entered by Tab, too.
  await start(page, 'markane:5x5', 'persons')
  await start(page, 'markane:4x4', 'persons')
  await page.locator('#rules-of-game').focus()
  await page.keyboard.press('Shift+Tab')
  assert.notEqual(await focused(page), null)
  // A game of Markane: the nearest cell that may be played, by the ranks and columns of its label.
  for (let state = await read(page); !state.isOver; state = await read(page)) {
    const [target] = state.points
    const at = label => ['abcd'.indexOf(label[0]), Number(label[1])]
    let label = await focused(page)
    for (; label !== target; label = await focused(page)) {
      const [[x, y], [tx, ty]] = [at(label), at(target)]
      await page.keyboard.press(tx < x ? 'ArrowLeft' : tx > x ? 'ArrowRight' : ty > y ? 'ArrowUp' : 'ArrowDown')
    }
    assert.match(await cell(page, label).getAttribute('aria-label'), /^[a-d][1-4], empty, can be played$/)
    await change(page, () => page.keyboard.press('Enter'))
    assert.equal(await focused(page), label)
  }
  // Keys in a field are letters.
  await page.locator('#move').fill('')
  await page.keyboard.type('unr')
  assert.equal(await page.locator('#move').inputValue(), 'unr')
  assert.equal(await page.locator('dialog[open]').count(), 0)
  await page.locator('#headline').click()
  await page.keyboard.press('?')
  await waitForDialog(page, true)
  await page.keyboard.press('Escape')
  await close(page)
}
