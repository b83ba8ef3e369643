// Drives the pages of `pentalith replay --html` in headless Chromium:
//     node replay.mjs PROGRAM CHROMIUM
// Prints a line a game. Where anything is not as it should be, says what and ends with status 1.

import {strict as assert} from 'assert'
import {execFileSync} from 'child_process'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'fs'
import {tmpdir} from 'os'
import {join} from 'path'
import {pathToFileURL} from 'url'
import {chromium} from 'playwright-core'

const [program, executablePath] = process.argv.slice(2)
const VARIANTS = ['invector:5x4', 'gravel:4,x=3', 'markane:5x5', 'inversion:3', 'invictus:stall=9']

// Longer than any machine takes: no check depends on time.
const PATIENCE = 1000 * 60 * 5

const folder = mkdtempSync(join(tmpdir(), 'pentalith-replay-'))
const run = (...args) => execFileSync(program, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']})

function record(variant, limit, name) {
  run('match', variant, '--engine', 'first=pvs', '--engine', 'second=uct', ...limit, '--games', '2', '--record', name + '.pgn',
    '--json', name + '.json')
}

// Opens a page as a person does from disk, and notes whatever it says, wants to load or complains about.
async function open(browser, name, {hash = '', ...options} = {}) {
  const context = await browser.newContext({offline: true, permissions: ['clipboard-read', 'clipboard-write'], ...options})
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  const url = pathToFileURL(join(folder, name)).href
  page.troubles = []
  page.on('console', message => page.troubles.push(message.text()))
  page.on('pageerror', error => page.troubles.push(String(error)))
  page.on('dialog', dialog => {
    page.troubles.push('dialog')
    return dialog.dismiss()
  })
  page.on('request', request => {
    if (request.url().split('#')[0] !== url) page.troubles.push(request.url())
  })
  await page.goto(url + hash)
  if (options.javaScriptEnabled !== false) await page.locator('#app').waitFor()
  return page
}

async function close(page) {
  assert.deepEqual(page.troubles, [])
  await page.context().close()
}

const position = page => page.locator('#position').inputValue()
const current = page => page.locator('#moves [aria-current]').getAttribute('data-step').then(Number)
const isAt = async (page, step) => assert.equal(await current(page), step)
const waitForAddress = (page, hash) => page.waitForFunction(hash => location.hash === hash, hash)

// Every position behind a move, as `replay --positions` prints them, is the one that the page has there.
async function comparePositions(page, name, number) {
  const lines = run('replay', name + '.pgn', '--game', String(number), '--positions').split('\n')
  const expected = lines.slice(1).filter(line => line.includes('  ')).map(line => line.split('  '))
  await page.keyboard.press('Home')
  let step = 0
  for (const [text, at] of expected) {
    for (let steps = text === 'start' ? 0 : text.split(',').length; steps > 0; steps--) {
      await page.keyboard.press('ArrowRight')
      step++
    }
    const shown = await page.evaluate(() => [
      document.getElementById('position').value,
      Number(document.querySelector('#moves [aria-current]').dataset.step),
      document.querySelectorAll('#board .piece').length,
    ])
    const pieces = (at.split(' ')[0].match(/[bw]/g) || []).length
    assert.deepEqual(shown, [at, step, pieces], `${name}, game ${number}, ${text}`)
  }
  // The last one is the end.
  assert.equal(await page.locator('#on').isDisabled(), true)
  assert.match(await page.locator('#headline').textContent(), /^(Black|White) wins|^Draw/)
  return step
}

async function driveKeys(page, steps) {
  await page.keyboard.press('Home')
  await isAt(page, 0)
  await page.keyboard.press('ArrowLeft')
  await isAt(page, 0)
  await page.keyboard.press('End')
  await isAt(page, steps)
  await page.keyboard.press('ArrowLeft')
  await isAt(page, steps - 1)
  // By moves, there and back: every place is the last step of a turn.
  await page.keyboard.press('Home')
  const ends = [0]
  for (;;) {
    await page.keyboard.press('ArrowDown')
    const step = await current(page)
    if (step === ends.at(-1)) break
    assert.ok(step > ends.at(-1))
    ends.push(step)
  }
  assert.equal(ends.at(-1), steps)
  for (const end of ends.slice(0, -1).reverse()) {
    await page.keyboard.press('Shift+ArrowLeft')
    await isAt(page, end)
  }
  return ends
}

async function driveMouse(page, steps, ends) {
  const [middle] = ends.slice(ends.length >> 1)
  await page.locator(`#moves [data-step="${middle}"]`).click()
  await isAt(page, middle)
  await page.locator('#on').click()
  await isAt(page, middle + 1)
  await page.locator('#back').click()
  await page.locator('#turn-back').click()
  await isAt(page, ends[(ends.length >> 1) - 1])
  await page.locator('#turn-on').click()
  await page.locator('#last').click()
  await isAt(page, steps)
  await page.locator('#first').click()
  await isAt(page, 0)
  // Right on the graph is the end, left of its lines the start.
  const box = await page.locator('#graph').boundingBox()
  await page.mouse.click(box.x + box.width - 2, box.y + 20)
  await isAt(page, steps)
  await page.mouse.click(box.x + 2, box.y + 20)
  await isAt(page, 0)
  await page.mouse.click(box.x + box.width / 2, box.y + 20)
  const step = await current(page)
  assert.ok(ends.includes(step) && step > 0 && step < steps, String(step))
  const label = await page.locator('#graph').getAttribute('aria-valuetext')
  assert.match(label, /^(Black|White), turn \d+: /)
  // Frames are around the last step, or around those before it if it has no cell.
  assert.ok(await page.locator('#board').locator('.last polygon, .earlier polygon').count() > 0)
  // The current move is in sight in its list.
  const [inner, outer] = await page.locator('#moves [aria-current]').evaluate(button => {
    const ends = element => [element.getBoundingClientRect().top, element.getBoundingClientRect().bottom]
    return [ends(button), ends(document.getElementById('moves'))]
  })
  assert.ok(inner[0] >= outer[0] && inner[1] <= outer[1], `${inner} is not in ${outer}`)
  await waitForAddress(page, `#game=1&step=${step}`)
}

async function run1(page) {
  await page.keyboard.press('Home')
  await page.locator('#run').click()
  await page.waitForFunction(() => document.querySelector('#moves [data-step="2"]').hasAttribute('aria-current'))
  assert.equal(await page.locator('#run').getAttribute('aria-label'), 'Pause')
  await page.keyboard.press('End')
  assert.equal(await page.locator('#run').getAttribute('aria-label'), 'Play')
}

async function driveGame(browser, variant, index) {
  const name = 'game' + index
  // Invictus would take hundreds of moves.
  record(variant, ['--nodes', '60', '--max-moves', '24'], name)
  run('replay', name + '.pgn', '--html', name + '.html')
  const page = await open(browser, name + '.html')
  assert.equal(await page.title(), `2 games of ${variant}`)
  await isAt(page, 0)
  const steps = await comparePositions(page, name, 1)
  const ends = await driveKeys(page, steps)
  await driveMouse(page, steps, ends)
  // The list of games, by mouse and by keys.
  await page.locator('#list tbody tr').nth(1).click()
  await page.waitForFunction(() => document.getElementById('game-title').textContent.startsWith('Game 2: '))
  assert.equal(await page.locator('#list tr[aria-current] a').textContent(), '2')
  await page.keyboard.press('End')
  const last = run('replay', name + '.pgn', '--game', '2', '--positions').trim().split('\n').at(-3)
  assert.equal(await position(page), last.split('  ')[1])
  await page.keyboard.press('p')
  await page.waitForFunction(() => document.getElementById('game-title').textContent.startsWith('Game 1: '))
  assert.equal(await page.locator('#previous-game').isDisabled(), true)
  await waitForAddress(page, '#game=1&step=0')
  // A link holds the place, and one that is changed by hand is followed.
  await page.evaluate(() => (location.hash = '#game=2&step=3'))
  await page.waitForFunction(() => document.getElementById('game-title').textContent.startsWith('Game 2: '))
  await isAt(page, 3)
  await close(page)
  const linked = await open(browser, name + '.html', {hash: '#game=2&step=3', colorScheme: 'dark'})
  await isAt(linked, 3)
  assert.match(await linked.locator('#said').textContent(), /turn \d+: .*\. (Black|White) /)
  assert.match(await linked.locator('#seen').textContent(), /Black( has|:).*White( has|:)/)
  const dark = await linked.evaluate(() => getComputedStyle(document.body).backgroundColor)
  assert.equal(dark, 'rgb(22, 24, 28)')
  await close(linked)
  await onTelephone(browser, name)
  await withoutScripts(browser, name)
  console.log(`${variant}: ${steps} steps`)
}

const inWindow = (page, selector) => page.evaluate(selector => {
  const {top, bottom, left, right} = document.querySelector(selector).getBoundingClientRect()
  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
}, selector)

// On a high narrow board, in several windows, the whole board and the buttons are in sight.
async function driveNarrow(browser) {
  record('markane:2x20', ['--nodes', '20', '--max-moves', '6'], 'narrow')
  run('replay', 'narrow.pgn', '--html', 'narrow.html')
  for (const [width, height, whole] of [[1280, 720, true], [360, 640, true], [800, 400, false]]) {
    const page = await open(browser, 'narrow.html', {viewport: {width, height}})
    assert.ok(await inWindow(page, '#controls'), `${width}x${height}`)
    if (whole) assert.ok(await inWindow(page, '#board'), `${width}x${height}`)
    await close(page)
  }
}

// A step from a cell to another one has an arrow, and what it captures a sign.
async function driveCaptures(browser) {
  record('invector:5x4', ['--nodes', '60'], 'captures')
  run('replay', 'captures.pgn', '--html', 'captures.html')
  const page = await open(browser, 'captures.html')
  const count = selector => page.locator('#board ' + selector).count()
  const steps = (await page.locator('#moves [data-step]').count()) - 1
  let captures = 0
  for (let step = 1; step <= steps; step++) {
    const before = (await page.locator('#board .piece').count())
    await page.keyboard.press('ArrowRight')
    const taken = before - await count('.piece')
    const text = await page.locator('#moves [aria-current]').textContent()
    const isMove = /^[a-z]\d+[a-z]\d+$/.test(text)
    assert.equal(await count('.paths polygon'), isMove ? 1 : 0, text)
    assert.equal(await count('.origin polygon'), isMove ? 1 : 0, text)
    // An exchange of colors moves and captures nothing.
    assert.equal(await count('.captured'), taken, text)
    captures += taken
    const [, score] = /score for (\S+?)[−+\d]/.exec(await page.locator('#note').textContent()) || []
    if (score) assert.equal(score, 'Black')
  }
  assert.ok(captures > 2)
  await close(page)
}

// Hexes that wait have their names; the stone that has completed them keeps its frame until all are inverted.
async function drivePending(browser) {
  const start = 'bww/.bbw/.b.wb/bww./bbb b - 16'
  writeFileSync(join(folder, 'openings.txt'), `fen ${start} moves c3,b2 c3\n`)
  record('inversion:3,order=alternate', ['--nodes', '20', '--openings', 'openings.txt'], 'pending')
  run('replay', 'pending.pgn', '--html', 'pending.html')
  const page = await open(browser, 'pending.html', {hash: '#game=1&step=1'})
  const labels = () => page.locator('#board > g text').allTextContents()
  const frames = kind => page.locator(`#board .${kind} polygon`).evaluateAll(all => all.map(one => one.getAttribute('points')))
  assert.deepEqual((await labels()).sort(), ['b2', 'c3', 'd4'])
  const [c3] = await frames('last')
  assert.deepEqual(await frames('earlier'), [])
  await page.keyboard.press('ArrowRight')
  assert.deepEqual((await labels()).sort(), ['c3', 'd4'])
  assert.deepEqual(await frames('earlier'), [c3])
  const [one, other] = await page.locator('#board .pending').evaluateAll(all => all.map(one => one.getAttribute('stroke-dasharray')))
  assert.notEqual(one, other)
  await page.keyboard.press('ArrowRight')
  assert.deepEqual(await labels(), [])
  assert.equal((await frames('earlier')).length, 1)
  assert.equal((await frames('earlier')).includes(c3), false)
  await close(page)
}

// The end of a turn of many steps is in sight at its first step.
async function driveLongTurns(browser) {
  record('gravel:4,x=9', ['--nodes', '20', '--max-moves', '16'], 'long')
  run('replay', 'long.pgn', '--html', 'long.html')
  const page = await open(browser, 'long.html', {viewport: {width: 1280, height: 900}})
  const steps = (await page.locator('#moves [data-step]').count()) - 1
  for (let step = 1; step <= steps; step++) {
    await page.keyboard.press('ArrowRight')
    const seen = await page.evaluate(() => {
      const box = document.getElementById('moves').getBoundingClientRect()
      const current = document.querySelector('#moves [aria-current]')
      const [turn, step] = [current.closest('.turn').getBoundingClientRect(), current.getBoundingClientRect()]
      const fits = turn.height < box.height - 60
      return step.bottom <= box.bottom && step.top >= box.top && (!fits || turn.bottom <= box.bottom)
    })
    assert.ok(seen, `step ${step}`)
  }
  await close(page)
}

async function onTelephone(browser, name) {
  const page = await open(browser, name + '.html', {viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true})
  await page.locator('#turn-on').tap()
  await page.locator('#help summary').tap()
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  assert.deepEqual(widths, [360, 360])
  const small = await page.evaluate(() => {
    const targets = [...document.querySelectorAll('button, summary, #list a')]
    const sizes = targets.map(target => [target.id || target.textContent, target.getBoundingClientRect()])
    return sizes.filter(([, {width, height}]) => width < 40 || height < 40).map(([what]) => what)
  })
  assert.deepEqual(small, [])
  await close(page)
}

async function withoutScripts(browser, name) {
  const page = await open(browser, name + '.html', {javaScriptEnabled: false})
  assert.equal(await page.locator('#app').isVisible(), false)
  for (const number of [1, 2]) {
    const section = page.locator(`[id="game=${number}"]`)
    const lines = run('replay', name + '.pgn', '--game', String(number), '--positions').trim().split('\n')
    const [text, at] = lines.at(-3).split('  ')
    assert.equal(await section.locator('code').textContent(), at)
    const moves = await section.locator('.moves').textContent()
    assert.ok(moves.endsWith(text), moves)
    assert.ok(await section.locator('svg.end').isVisible())
    const pieces = (at.split(' ')[0].match(/[bw]/g) || []).length
    assert.equal(await section.locator('svg.end use').count(), pieces + 2)
  }
  await page.locator('#list a').nth(1).click()
  assert.ok(page.url().endsWith('#game=2'))
  await close(page)
}

// A reviewed game: one filled line, signs, the better line in place of the game, speed, the board from the other side.
async function driveReview(browser) {
  writeFileSync(join(folder, 'club.pgn'), 'markane:6x6\n1. c3 d6 2. a2 f4 3. e5 b6 4. e2 d1 5. c5 f2 6. a4 b2 *\n')
  run('review', 'club.pgn', '--nodes', '300', '--html', 'review.html')
  const page = await open(browser, 'review.html', {viewport: {width: 1200, height: 800}})
  assert.ok(await page.locator('#graph .area').isVisible())
  const signs = await page.locator('#moves .sign').count()
  assert.ok(signs > 0)
  assert.equal(await page.locator('#graph .sign').count(), signs)
  assert.ok(await page.locator('.variation').count() > 0)
  await shoot(page, 'page')
  const game = await page.locator('#moves .step').allTextContents()
  await page.locator('#moves .vary').first().click()
  assert.notDeepEqual(await page.locator('#moves .step').allTextContents(), game)
  assert.match(await page.locator('#remark').textContent(), /^better/)
  const better = await position(page)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowRight')
  assert.equal(await position(page), better)
  await page.locator('#moves .vary').filter({hasText: 'the game'}).click()
  assert.deepEqual(await page.locator('#moves .step').allTextContents(), game)
  assert.match(await page.locator('#remark').textContent(), /became/)
  // The first rank is above on a flipped board.
  const places = () => page.locator('#board .piece').evaluateAll(all => all.map(one => one.getBoundingClientRect()).map(({x, y}) => [x, y]))
  const before = await places()
  await page.keyboard.press('f')
  const after = await places()
  assert.ok(before.some(([x, y], index) => Math.hypot(x - after[index][0], y - after[index][1]) > 20))
  await shoot(page, 'page-flipped')
  await page.locator('#speed').selectOption('5')
  await page.locator('#first').click()
  await page.locator('#run').click()
  await page.waitForFunction(() => document.getElementById('on').disabled)
  assert.equal(await page.locator('#run').getAttribute('aria-label'), 'Play')
  await close(page)
}

// Keeps a picture of the page, where SHOTS names a folder.
async function shoot(page, name) {
  if (process.env.SHOTS) await page.screenshot({path: join(process.env.SHOTS, name + '.png')})
}

// Names and reasons of strangers, a clock, an illegal move, a game without a board.
async function driveStrangers(browser) {
  const name = '<script>alert(1)</script>"\'&\u202e'
  record('invector:5x4', ['--nodes', '60'], 'clock')
  const games = readFileSync(join(folder, 'clock.json'), 'utf8').trim().split('\n').map(line => JSON.parse(line))
  games[0].black.name = name
  // By these clocks, which no search needs, both players end with a little more than a minute.
  for (const player of [games[0].black, games[0].white]) player.limit = 'tc 60+1'
  games[0].reason = '</script><img src=x onerror=alert(2)>'
  games[1].moves[5].move = '<b>'
  games.push({...games[0], game: 3, variant: 'chess'})
  writeFileSync(join(folder, 'strange.json'), games.map(game => JSON.stringify(game) + '\n').join(''))
  assert.throws(() => run('replay', 'strange.json', '--html', 'strange.html'))
  const page = await open(browser, 'strange.html')
  const shown = name.replace('\u202e', '\\u{202e}')
  assert.equal(await page.locator('#seat-0 .name').textContent(), shown)
  assert.equal(await page.locator('#list tbody td').nth(1).textContent(), shown)
  assert.equal(await page.locator('img').count(), 0)
  assert.match(await page.locator('#over').textContent(), /<\/script><img src=x/)
  await page.keyboard.press('End')
  const clocks = await page.locator('.seat .clock').allTextContents()
  for (const clock of clocks) assert.match(clock, /^1:\d\d left$/)
  await page.keyboard.press('n')
  await page.waitForFunction(() => document.getElementById('error').textContent.includes('"<b>"'))
  assert.match(await page.locator('#over').textContent(), /^Recorded result, not confirmed: /)
  await page.keyboard.press('End')
  assert.equal(await page.locator('#moves [data-step]').last().getAttribute('data-step'), '5')
  await page.keyboard.press('n')
  await page.waitForFunction(() => document.getElementById('desk').hidden)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('p')
  await page.waitForFunction(() => !document.getElementById('desk').hidden)
  // The position can be copied and drawn.
  await page.keyboard.press('End')
  await page.locator('#copy').click()
  await page.waitForFunction(() => document.getElementById('copy').textContent === 'Copied')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(copied, await position(page))
  assert.match(run('diagram', 'invector:5x4', '--position', copied), /^<svg /)
  await run1(page)
  await close(page)
  const still = await open(browser, 'strange.html', {javaScriptEnabled: false})
  assert.ok((await still.locator('h2').allTextContents()).some(text => text.includes(shown)))
  await close(still)
}

const browser = await chromium.launch({executablePath, timeout: PATIENCE})
try {
  // Side by side: a page waits more than it works.
  const others = [driveReview, driveStrangers, driveNarrow, driveCaptures, drivePending, driveLongTurns]
  const games = VARIANTS.map((variant, index) => [variant, () => driveGame(browser, variant, index)])
  const parts = [...games, ...others.map(drive => [drive.name, () => drive(browser)])]
  // Only some parts, by their names, for who works on one.
  const only = process.argv.slice(4)
  await Promise.all(parts.filter(([name]) => !only.length || only.includes(name)).map(([, drive]) => drive()))
} finally {
  await browser.close()
  rmSync(folder, {recursive: true})
}
