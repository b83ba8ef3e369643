// Plays at the page of `pentalith board` in headless Chromium:
//     node board.mjs PROGRAM CHROMIUM
// Prints a line a game. Where anything is not as it should be, says what and ends with status 1.

import {strict as assert} from 'assert'
import {readFileSync, rmSync, writeFileSync} from 'fs'
import {join} from 'path'
import {chromium} from 'playwright-core'

import {
  anyTime, eightWindows, ended, fastGames, fromElsewhere, hidden, reconnects, stopped, withoutStorage,
} from './board-connection.mjs'
import {GAMES, playByKeys, playGame} from './board-games.mjs'
import {
  cell, change, clickCell, close, executablePath, folder, open, PATIENCE, position, read, record, serve, shoot, start,
  toast, waitForDialog, withServer,
} from './board-page.mjs'

// Selecting, another piece, letting go, a wrong click; and a reload in the middle of a turn.
async function select(browser, address) {
  const page = await open(browser, address)
  await start(page, 'gravel:4,x=3', 'persons')
  for (const label of ['a1', 'b2', 'c3', 'd4', 'a4', 'b1']) await change(page, () => cell(page, label).click())
  await change(page, () => cell(page, 'c1').click())
  await change(page, () => cell(page, 'a1').click())
  assert.equal((await read(page)).selected, 'a1')
  await change(page, () => cell(page, 'b2').click())
  const state = await read(page)
  // A click on another own piece either relocates or selects; a reload shows the same.
  await page.reload()
  await page.locator('#app').waitFor()
  assert.deepEqual(await read(page), state)
  if (state.selected) {
    await change(page, () => page.keyboard.press('Escape'))
    assert.equal((await read(page)).selected, null)
  }
  // An enemy's piece that may not be removed.
  const before = await read(page)
  await cell(page, 'd4').click()
  await toast(page, /d4/)
  assert.deepEqual(await read(page), before)
  // By dragging.
  await start(page, 'invector:5x4', 'persons')
  const [from, to] = [await cell(page, 'a1').boundingBox(), await cell(page, 'a2').boundingBox()]
  const middle = box => [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(...middle(from))
  await page.mouse.down()
  await page.mouse.move(...middle(to), {steps: 5})
  // The piece moves with the pointer, and its targets are shown.
  await page.locator('.cell.target').first().waitFor()
  const ghost = await page.evaluate(() => {
    const ghost = document.querySelector('#cells.dragging .ghost')
    return [getComputedStyle(ghost).visibility, ghost.querySelector('svg').children.length > 1, ghost.getAttribute('transform')]
  })
  const [x, y] = await cell(page, 'a2').evaluate(cell => cell.getAttribute('transform').match(/-?\d+/g).map(Number))
  assert.deepEqual(ghost.slice(0, 2), ['visible', true])
  const [left, top] = ghost[2].match(/-?[\d.]+/g).map(Number)
  assert.ok(Math.hypot(left - x, top - y) < 5, `${ghost[2]} is not near ${x} ${y}`)
  await shoot(page, 'drag')
  await change(page, () => page.mouse.up())
  await page.waitForFunction(() => document.querySelectorAll('#moves li:has(.step:not(.ahead))').length === 1)
  assert.deepEqual((await read(page)).moves, ['a1a2'])
  // To play on is to make a move.
  await page.locator('#no').click()
  assert.equal(await page.locator('#question').isVisible(), false)
  await close(page, 1)
}

// Through the moves by keys and wheel; another move from there begins a variation. The engine's steps one by one.
async function variations(browser, address) {
  const page = await open(browser, address, {reducedMotion: 'no-preference'})
  await start(page, 'gravel:4,x=3', 'persons')
  for (const label of ['a1', 'b2', 'c3', 'd4', 'a4', 'b1']) await change(page, () => cell(page, label).click())
  assert.equal(await page.locator('.cell.removal').getAttribute('data-cell'), 'b1')
  await change(page, () => page.keyboard.press('ArrowLeft'))
  await page.locator('#board').hover()
  await change(page, () => page.mouse.wheel(0, -100))
  assert.equal(await page.locator('.step.ahead').count(), 2)
  await change(page, () => cell(page, 'a3').click())
  assert.equal(await page.locator('.variation .vary').first().textContent(), 'or a4 b1')
  await change(page, () => page.locator('[data-vary=variation]').click())
  assert.deepEqual((await read(page)).moves, ['a1,b2,c3', 'd4,a4,b1'])
  await change(page, () => page.locator('[data-vary=promote]').click())
  await change(page, () => page.locator('[data-vary=remove]').click())
  assert.equal(await page.locator('.variation').count(), 0)
  await change(page, () => page.keyboard.press('f'))
  const [first, last] = [await cell(page, 'a1').boundingBox(), await cell(page, 'd4').boundingBox()]
  assert.ok(first.x > last.x && first.y < last.y)
  await start(page, 'gravel:4,x=3', 'white', {seconds: '0.1'})
  await page.evaluate(() => {
    window.pictures = new Set()
    const note = () => window.pictures.add(document.getElementById('picture').innerHTML)
    new MutationObserver(note).observe(document.getElementById('picture'), {childList: true, subtree: true, attributes: true})
  })
  for (const label of ['a1', 'b2', 'c3']) await cell(page, label).click()
  await page.waitForFunction(() => document.querySelectorAll('#moves li .step').length > 3
    && !document.getElementById('board').classList.contains('replaying'))
  const steps = (await read(page)).moves[1].split(',').length
  assert.ok(await page.evaluate(() => window.pictures.size) >= 2 + steps)
  // A swap is seen before the engine's answer, which has one step.
  await start(page, 'invector:5x4', 'persons')
  await change(page, async () => clickCell(page, (await read(page)).points[0]))
  await change(page, async () => clickCell(page, (await read(page)).targets[0]))
  await page.locator('#question').waitFor()
  await page.locator('#seat-white').click()
  await page.locator('input[name=players][value=white]').check()
  await page.locator('#seconds').fill('0.1')
  await page.locator('#start').click()
  await waitForDialog(page, false)
  await page.evaluate(() => {
    window.replays = 0
    const note = () => { window.replays += document.getElementById('board').classList.contains('replaying') }
    new MutationObserver(note).observe(document.getElementById('board'), {attributeFilter: ['class']})
  })
  await page.locator('#yes').click()
  await page.waitForFunction(() => document.querySelectorAll('#moves li .step').length === 3
    && !document.getElementById('board').classList.contains('replaying'))
  assert.equal(await page.evaluate(() => window.replays), 1)
  await start(page, 'gravel:4,x=3', 'persons')
  for (const label of ['a1', 'b2']) await change(page, () => cell(page, label).click())
  // A new game is taken back.
  await page.keyboard.press('n')
  await change(page, () => page.locator('#start').click())
  await change(page, () => page.keyboard.press('u'))
  assert.equal((await read(page)).moves.length, 1)
  // Pictures.
  await page.locator('#files').click()
  await page.locator('#copy-picture').click()
  await page.waitForFunction(() => document.getElementById('copy-picture').textContent === 'Copied')
  const types = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap(item => item.types))
  assert.deepEqual(types, ['image/png'])
  assert.match(await page.locator('#picture-file').getAttribute('download'), /^gravel-4-x-3-\d+\.svg$/)
  await close(page)
}

// A review: the moves that decided the game, the graph, the better line, and the mistakes to try again.
async function reviews(browser) {
  const {server, address} = await serve('markane:4x4', '--nodes', '400')
  const page = await open(browser, address)
  await start(page, 'markane:4x4', 'persons')
  assert.equal(await page.locator('#review').isVisible(), false)
  for (let state = await read(page); !state.isOver; state = await read(page)) {
    await change(page, () => clickCell(page, state.points[0]))
  }
  const end = await read(page)
  await shoot(page, 'over')
  await page.locator('#review-now').click()
  await page.locator('#decided li').first().waitFor()
  const decided = await page.locator('#decided li').allTextContents()
  assert.ok(decided.length <= 3)
  for (const text of decided) assert.match(text, /^turn \d+, (Black|White) \S+: .* became .*(Better|only good move) was/)
  assert.ok(await page.locator('#moves .sign').count() >= decided.length)
  assert.ok(await page.locator('#graph .area').isVisible() && await page.locator('#graph .sign').count() >= decided.length)
  await shoot(page, 'reviewed')
  // A click on the graph goes there; the better line is a variation.
  const box = await page.locator('#graph').boundingBox()
  await change(page, () => page.mouse.click(box.x + box.width / 2, box.y + 10))
  assert.ok(await page.locator('.step.ahead').count() > 0)
  await change(page, () => page.locator('#decided .better').first().click())
  assert.notDeepEqual((await read(page)).moves, end.moves)
  assert.equal(await page.locator('.variation').count() > 0, true)
  await change(page, () => page.locator('#decided .link').first().click())
  // The mistakes again: one move that the program looks at, then the better one is shown.
  await change(page, () => page.locator('#retry').click())
  const text = () => page.locator('#review-text').textContent()
  const [, count] = /^Mistake 1 of (\d+): /.exec(await text())
  for (let mistake = 1; mistake <= count; mistake++) {
    assert.ok((await text()).startsWith(`Mistake ${mistake} of ${count}: `))
    await change(page, async () => clickCell(page, (await read(page)).points.at(-1)))
    // Steps of the same turn, until it is whole.
    for (let state = await read(page); !/keeps|loses|looking/.test(await text()); state = await read(page)) {
      await change(page, () => clickCell(page, state.points.at(-1)))
    }
    await page.waitForFunction(() => /keeps the value|loses, too/.test(document.getElementById('review-text').textContent))
    if (mistake === 1) await shoot(page, 'retry')
    await change(page, () => page.locator('#retry-again').click())
    assert.match(await text(), /Find a better move/)
    await change(page, () => page.locator('#retry-show').click())
    assert.match(await text(), /keeps the value.*(Better|only good move) was/)
    await change(page, () => page.locator('#retry-next').click())
  }
  await page.locator('#retry').waitFor()
  await change(page, () => page.locator('#moves .vary').filter({hasText: end.moves[1]}).click())
  assert.deepEqual((await read(page)).moves, end.moves)
  // The record has all of it, and comes back.
  await record(page, 'reviewed.pgn')
  const written = readFileSync(join(folder, 'reviewed.pgn'), 'utf8')
  assert.match(written, /became .* better is /)
  await page.locator('#files').click()
  await page.locator('#record-file').setInputFiles(join(folder, 'reviewed.pgn'))
  await waitForDialog(page, false)
  await page.locator('#review-game').waitFor()
  assert.ok(await page.locator('#moves .sign').count() >= decided.length)
  await close(page)
  server.removeAllListeners('exit')
  server.kill()
}

// A position set up by clicks: pieces with and without numbers, the side, a fault, and the game that begins there.
async function setUp(browser, address) {
  const page = await open(browser, address)
  const begin = async () => {
    await page.locator('#files').click()
    await page.locator('#edit-position').click()
    await waitForDialog(page, false)
    await page.locator('#editor').waitFor()
    const stones = page.locator('.cell.occupied')
    await page.waitForFunction(() => document.querySelectorAll('.cell.point').length === document.querySelectorAll('.cell').length)
    return stones
  }
  const wait = (page, count) => page.waitForFunction(count => document.querySelectorAll('.cell.occupied').length === count, count)
  await start(page, 'markane:4x4', 'persons')
  let stones = await begin()
  await page.locator('#editor-empty').click()
  await wait(page, 0)
  // Clicks before the answers to those before them: each begins where the one before it ended.
  let answer
  const answered = new Promise(done => { answer = done })
  await page.route('**/setup', async route => {
    await answered
    await route.continue()
  })
  await page.locator('#editor-empty').click()
  await clickCell(page, 'a1')
  await clickCell(page, 'b2')
  await clickCell(page, 'a1')
  answer()
  await wait(page, 1)
  await page.locator('input[name=piece][value=w]').check()
  await clickCell(page, 'c3')
  await wait(page, 2)
  await clickCell(page, 'd4')
  await wait(page, 3)
  // A second click takes away.
  await clickCell(page, 'd4')
  await wait(page, 2)
  await page.locator('input[name=side][value=w]').check()
  // A field that can't be is said in the words of the rules, and the button waits.
  await page.locator('#fields').fill('9 3')
  await page.locator('#fields').press('Tab')
  await page.locator('#editor-error').waitFor()
  assert.match(await page.locator('#editor-error').textContent(), /owed/)
  assert.ok(await page.locator('#editor-done').isDisabled())
  await shoot(page, 'setup')
  await page.locator('#fields').fill('2 4')
  await page.locator('#fields').press('Tab')
  await page.locator('#editor-error').waitFor({state: 'hidden'})
  await page.locator('#editor-done').click()
  await page.locator('#editor').waitFor({state: 'hidden'})
  assert.equal(await position(page), '..../..w./.b../.... w 2 4')
  // Stacks have numbers; the game is as it was where it is given up.
  await start(page, 'gravel:4,x=3', 'persons')
  await change(page, () => cell(page, 'a1').click())
  const before = await position(page)
  stones = await begin()
  await page.locator('#value').fill('3')
  await clickCell(page, 'b2')
  await wait(page, 2)
  assert.match(await cell(page, 'b2').getAttribute('aria-label'), /stack of 3/)
  await page.locator('#editor-cancel').click()
  await page.locator('#editor').waitFor({state: 'hidden'})
  assert.equal(await stones.count(), 1)
  assert.equal(await position(page), before)
  await close(page)
}

async function againstEngine(browser, address) {
  const page = await open(browser, address)
  await start(page, 'markane:5x5', 'black', {level: 'beginner', seconds: '0.2'})
  await cell(page, 'c3').click()
  const answered = moves => page.waitForFunction(moves => document.querySelector('.cell.point')
    && document.querySelectorAll('#moves li:has(.step:not(.ahead))').length === moves, moves)
  await answered(2)
  await page.keyboard.press('u')
  await page.waitForFunction(() => document.querySelectorAll('#moves li:has(.step:not(.ahead))').length === 0)
  await page.keyboard.press('r')
  await answered(2)
  // Behind the person's move the engine waits to be asked; another move takes the place of what was taken back.
  await change(page, () => page.locator('.step').first().click())
  assert.equal(await page.locator('#go').textContent(), 'Let it move')
  assert.equal(await page.locator('.step.ahead').count(), 1)
  await change(page, () => page.keyboard.press('Home'))
  await cell(page, 'b2').click()
  await answered(2)
  assert.equal(await page.locator('.step').first().textContent(), 'b2')
  assert.equal(await page.locator('.step.ahead').count(), 0)
  await page.keyboard.press('h')
  await page.waitForFunction(() => /^Hint: [a-e]\d/.test(document.getElementById('prompt').textContent))
  // Analysis: a bar that says its number, and lines.
  await page.keyboard.press('a')
  await page.locator('#lines tr').nth(1).waitFor()
  // The hint makes room for it. A click on a line unfolds it, and another one folds it.
  assert.doesNotMatch(await page.locator('#prompt').textContent(), /Hint/)
  await page.locator('#lines td.number').first().click()
  await page.locator('#lines .whole').waitFor()
  await shoot(page, 'analysis')
  await page.locator('#lines .whole').click()
  await page.locator('#lines .whole').waitFor({state: 'detached'})
  assert.match(await page.locator('#black-share').textContent(), /^Black \d+\.\d %$/)
  assert.match(await page.locator('#bar').getAttribute('aria-valuetext'), /^Black /)
  await page.keyboard.press('a')
  await page.locator('#evaluation').waitFor({state: 'hidden'})
  // The engine moves for the person, and then for itself.
  await page.keyboard.press('e')
  await page.waitForFunction(() => document.querySelectorAll('#moves li:has(.step:not(.ahead))').length >= 3)
  // With the white pieces, the engine begins; it can be told to move now.
  await start(page, 'markane:5x5', 'white', {level: 'best', seconds: '3000', clocks: ['5', '2']})
  await page.waitForFunction(() => document.getElementById('engine-label').textContent === 'Move now')
  await page.locator('#engine').click()
  await page.waitForFunction(() => document.querySelectorAll('#moves li:has(.step:not(.ahead))').length === 1)
  assert.match(await page.locator('#seat-white .clock').textContent(), /^[45]:\d\d$/)
  assert.match(await page.locator('#seat-black .clock').textContent(), /^[45]:\d\d$/)
  await page.locator('#resign').click()
  await page.locator('#resign-now').click()
  await page.waitForFunction(() => /^Black wins: /.test(document.getElementById('headline').textContent))
  await page.locator('#again').click()
  await page.waitForFunction(() => document.getElementById('engine-label').textContent === 'Move now')
  await close(page)
}

// The engine plays itself at the speed that is chosen.
async function selfPlay(browser, address) {
  const page = await open(browser, address)
  await start(page, 'markane:4x4', 'persons')
  await page.locator('#seat-black').click()
  await page.locator('input[name=players][value=engines]').check()
  await page.locator('#level').selectOption('beginner')
  await page.locator('#start').click()
  await page.locator('#pace').waitFor()
  assert.equal(await page.locator('#pace').inputValue(), '0.7')
  await page.locator('#pace').selectOption('slow')
  await page.waitForFunction(() => document.querySelectorAll('#moves .step').length > 1)
  await shoot(page, 'self-play')
  assert.ok(!(await read(page)).isOver)
  await page.locator('#pace').selectOption('at once')
  await page.waitForFunction(() => document.getElementById('state').classList.contains('over'))
  assert.equal(await page.locator('#pace').isVisible(), false)
  await close(page)
}

async function newGames(browser, address) {
  const page = await open(browser, address)
  await page.locator('#rules-of-game').click()
  assert.equal(await page.locator('#rules-title').textContent(), 'Invector')
  assert.match(await page.locator('#rules-text').textContent(), /Capture all enemy stones\. There are no draws/)
  // They have pictures, and the game goes on next to them.
  await page.waitForFunction(() => [...document.querySelectorAll('#rules-text img')].every(image => image.complete))
  const widths = await page.locator('#rules-text img').evaluateAll(images => images.map(image => image.naturalWidth))
  assert.ok(widths.length > 3 && widths.every(width => width > 0))
  await shoot(page, 'rules')
  await change(page, () => page.locator('.cell.point').first().click())
  assert.equal(await page.locator('#rules').isVisible(), true)
  assert.equal(await page.locator('#rules-text pre').first().evaluate(pre => pre.textContent.trimEnd().split('\n').length), 6)
  await page.locator('dialog[open] .close').click()
  await page.keyboard.press('n')
  for (const game of ['gravel', 'markane', 'inversion', 'invictus', 'invector']) {
    await page.locator(`input[name=game][value=${game}]`).check()
    assert.equal(await page.locator('#variant-text').inputValue(), game)
  }
  await page.locator('input[name=game][value=inversion]').check()
  await page.locator('#option-size').selectOption('3')
  await page.locator('#option-komi').fill('1.5')
  await page.locator('#option-order').selectOption('single')
  assert.equal(await page.locator('#variant-text').inputValue(), 'inversion:3,komi=1.5,order=single')
  await page.locator('#variant-text').fill('inversion:<img src=x>')
  await page.locator('#start').click()
  await page.locator('#setup-error').waitFor()
  assert.match(await page.locator('#setup-error').textContent(), /<img/)
  await page.locator('#variant-text').fill('inversion:3,komi=1.5')
  await page.locator('#start').click()
  await waitForDialog(page, false)
  await page.waitForFunction(() => document.querySelectorAll('.cell').length === 19)
  assert.equal(await page.locator('#variant').textContent(), '3,komi=1.5')
  await close(page, 1)
}

// Records, positions and links in and out, with what strangers may write into them.
async function filesAndLinks(browser, address) {
  const page = await open(browser, address)
  await start(page, 'markane:5x5', 'persons')
  for (const label of ['c3', 'c4', 'b2']) await change(page, () => cell(page, label).click())
  await page.locator('#move').fill('d2')
  await change(page, () => page.keyboard.press('Enter'))
  await page.waitForFunction(() => document.getElementById('move').value === '')
  const state = await read(page)
  const at = await position(page)
  await page.locator('#files').click()
  await page.locator('#copy-link').click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  assert.ok(link.startsWith(address + '#'))
  await page.locator('#copy-record').click()
  await page.waitForFunction(() => document.getElementById('copy-record').textContent === 'Copied')
  const text = await page.evaluate(() => navigator.clipboard.readText())
  // In another page the link opens the game.
  const other = await open(browser, address, {hash: new URL(link).hash, colorScheme: 'dark'})
  assert.deepEqual((await read(other)).moves, state.moves)
  assert.equal(await position(other), at)
  await other.locator('#review-game').waitFor()
  assert.equal(await other.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(22, 24, 28)')
  await close(other)
  // Bad ones say what is wrong, as text.
  for (const bad of ['<img src=x onerror=alert(1)>', 'markane:5x5 <script>alert(2)</script>', '{"a":']) {
    await page.locator('#record').fill(bad)
    await page.locator('#load').click()
    await page.locator('#file-error').waitFor()
    assert.equal(await page.locator('#file-error *').count(), 0)
  }
  // However long it is. A page that is slow at it would take minutes.
  await page.locator('#record').evaluate(field => { field.value = `http://${'#'.repeat(900_000)} x` })
  await page.locator('#load').click()
  await page.waitForFunction(() => /VARIANT/.test(document.getElementById('file-error').textContent), null, {timeout: 60_000})
  await page.locator('#position').fill('<b>')
  await page.locator('#set-position').click()
  await page.waitForFunction(() => document.getElementById('file-error').textContent.includes('<b>'))
  assert.equal(await page.locator('img, #file b').count(), 0)
  await page.locator('#position').fill('..b../...../...../...../w.... b 1 3')
  await page.locator('#set-position').click()
  await waitForDialog(page, false)
  assert.equal(await page.locator('.cell.occupied').count(), 2)
  // The record comes back by a file.
  writeFileSync(join(folder, 'pasted.txt'), text)
  await page.locator('#files').click()
  await page.locator('#record-file').setInputFiles(join(folder, 'pasted.txt'))
  await waitForDialog(page, false)
  assert.deepEqual((await read(page)).moves, state.moves)
  // A link put into the address, and one that does not open.
  await page.evaluate(() => { location.hash = '#' + encodeURIComponent('markane:4x4 moves a1') })
  await page.waitForFunction(() => document.querySelectorAll('.cell').length === 16)
  await page.evaluate(() => { location.hash = '#nothing' })
  await toast(page, /nothing/)
  // A bookmark opens its game in a used tab as well.
  await page.evaluate(hash => history.replaceState(null, '', hash), '#' + encodeURIComponent('markane:3x3 moves a1'))
  await page.reload()
  await page.waitForFunction(() => document.querySelectorAll('.cell').length === 9)
  assert.deepEqual((await read(page)).moves, ['a1'])
  await close(page, 6)
  const lost = await open(browser, address, {hash: '#chess'})
  await toast(lost, /chess/)
  await close(lost, 1)
}

// Whatever is expected of a move has room in its column.
async function expectedIsWhole(page) {
  for (const text of ['100.0 %', '≤ 100.0 %', 'win in 1 move', 'loss in 25 moves']) {
    const [width, wanted, height, usual] = await page.evaluate(text => {
      const row = document.querySelector('#lines tr')
      const expected = row.children[1]
      expected.textContent = '1'
      const usual = row.clientHeight
      expected.textContent = text
      return [expected.clientWidth, expected.scrollWidth, row.clientHeight, usual]
    }, text)
    assert.ok(wanted <= width && height === usual, `${text}: ${wanted} of ${width}, ${height} and ${usual}`)
  }
}

async function onTelephone(browser, address) {
  const page = await open(browser, address, {viewport: {width: 360, height: 740}, hasTouch: true, isMobile: true})
  await start(page, 'gravel:5', 'persons')
  await change(page, () => cell(page, 'c3').tap())
  await change(page, () => cell(page, 'c3').tap())
  await page.locator('#analysis').tap()
  await page.locator('#lines tr').first().waitFor()
  await expectedIsWhole(page)
  const check = async what => {
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    assert.deepEqual(widths, [360, 360], what)
    const small = await page.evaluate(() => {
      const targets = [...document.querySelectorAll('button, .button, input:not(.unseen), select, label:has(input)')]
      const shown = targets.filter(target => target.checkVisibility() && !target.matches('[type=radio], [type=checkbox]'))
      const sizes = shown.map(target => [target.id || target.textContent, target.getBoundingClientRect()])
      return sizes.filter(([, {width, height}]) => width < 40 || height < 40).map(([what]) => what)
    })
    assert.deepEqual(small, [], what)
  }
  await check('the board')
  for (const id of ['new', 'rules-of-game', 'files', 'keys', 'seat-black']) {
    await page.locator('#' + id).tap()
    await waitForDialog(page, true)
    await check(id)
    await page.locator('dialog[open] .close').tap()
  }
  // The board comes first.
  assert.ok((await page.locator('#board').boundingBox()).y < 20)
  await close(page)
}

// All fits on the screen; nothing jumps when the lines change.
async function layout(browser, address) {
  const page = await open(browser, address)
  await start(page, 'markane:3x3', 'persons')
  await page.locator('#analysis').click()
  await page.waitForFunction(() => document.querySelector('#lines td.number')?.textContent === 'win in 3 moves')
  assert.equal(await page.locator('#lines td.number').first().getAttribute('title'), 'Black: win in 3 moves')
  await expectedIsWhole(page)
  await page.locator('#analysis').click()
  for (const [variant] of GAMES) {
    await start(page, variant, 'persons')
    const before = await page.locator('#controls').boundingBox()
    const sizes = await page.evaluate(() => [document.documentElement.scrollHeight, document.getElementById('panel').scrollHeight])
    assert.ok(sizes[0] <= 800 && sizes[1] <= 800, `${variant}: ${sizes}`)
    await change(page, () => page.locator('.cell.point').first().click())
    assert.deepEqual(await page.locator('#controls').boundingBox(), before, variant)
  }
  await close(page)
}

// Only some parts, by their names, for who works on one.
const only = process.argv.slice(4)
const isWanted = name => !only.length || only.includes(name)

const browser = await chromium.launch({executablePath, timeout: PATIENCE, args: ['--disable-gpu']})
try {
  // Side by side: a page waits more than it works.
  const parts = () => withServer('invector:5x4', async address => {
    for (const part of [playByKeys, select, variations, setUp, againstEngine, selfPlay, newGames, filesAndLinks, onTelephone, layout]) {
      if (isWanted(part.name)) await part(browser, address)
    }
  })
  const games = GAMES.filter(([variant]) => isWanted(variant))
  await Promise.all([
    ...games.map(game => withServer(game[0], address => playGame(browser, address, game))),
    parts(),
    ...[
      reviews, reconnects, ended, eightWindows, hidden, fastGames, withoutStorage, stopped, anyTime, fromElsewhere,
    ].filter(part => isWanted(part.name)).map(part => part(browser)),
  ])
} finally {
  await browser.close()
  rmSync(folder, {recursive: true})
}
