// Solves the puzzles of a page of `pentalith puzzles --html` in headless Chromium, by clicks:
//     node puzzles.mjs PROGRAM CHROMIUM [PICTURE.png]
// Prints a line a puzzle. Ends with status 1 if the page does not answer as the file of puzzles says.

import {strict as assert} from 'assert'
import {execFileSync} from 'child_process'
import {mkdtempSync, readFileSync, rmSync} from 'fs'
import {tmpdir} from 'os'
import {join} from 'path'
import {pathToFileURL} from 'url'
import {chromium} from 'playwright-core'

const [program, executablePath, picture] = process.argv.slice(2)

// Longer than any machine takes: no check depends on time.
const PATIENCE = 1000 * 60 * 5

const folder = mkdtempSync(join(tmpdir(), 'pentalith-puzzles-'))
const run = (...args) => execFileSync(program, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']})

const limits = ['--nodes', '20', '--games', '6', '--quiet']
for (const [variant, name] of [['markane:5x4', 'm'], ['invector:4x3', 'i']]) {
  run('match', variant, '--engine', 'a=uct', '--engine', 'b=uct', ...limits, '--record', name + '.pgn')
}
run('puzzles', 'm.pgn', 'i.pgn', '--easy', '--nodes', '5000', '--count', '6', '-o', 'puzzles.pgn', '--html', 'page.html')

// The first moves of the solutions, and the wrong steps before them.
const puzzles = readFileSync(join(folder, 'puzzles.pgn'), 'utf8').split('\n\n[Event').map(text => {
  const [, moves] = text.split('\n\n')
  const words = moves.replace(/\{[^}]*\}/g, '').replace(/\s+/g, ' ')
  const [first] = words.match(/[a-z][^ ]*/)
  const [, wrong] = words.match(/\((?:\d+\.+ )?([^ )]+)/)
  return {first: first.split(',')[0], wrong: wrong.split(',')[0]}
})
assert.ok(puzzles.length > 0)

const browser = await chromium.launch({executablePath})
try {
  const page = await browser.newPage({viewport: {width: 900, height: 900}})
  page.setDefaultTimeout(PATIENCE)
  const errors = []
  page.on('pageerror', error => errors.push(String(error)))
  await page.goto(pathToFileURL(join(folder, 'page.html')).href)
  const cells = step => step.match(/[a-z]\d+/g) ?? [step]
  const click = async step => {
    for (const point of cells(step)) await page.click(`[data-point="${point}"]`)
  }
  const says = async (kind, text) => {
    await page.waitForSelector(`#verdict.${kind}`)
    assert.ok((await page.textContent('#verdict')).includes(text), await page.textContent('#verdict'))
  }
  for (const [index, {first, wrong}] of puzzles.entries()) {
    await page.waitForFunction(number => document.getElementById('task').textContent.startsWith(`Puzzle ${number} `), index + 1)
    const before = await page.innerHTML('#board > svg')
    await click(wrong)
    await says('wrong', wrong)
    // The step and the reply to it are shown, and taken back: after a while, or by a click.
    await page.waitForSelector('#board.replying')
    assert.notEqual(await page.innerHTML('#board > svg'), before)
    assert.equal(await page.locator('.cell').count(), 0)
    if (picture && index === 0) await page.screenshot({path: picture.replace('.png', '-reply.png')})
    if (index > 0) await page.click('#board')
    await page.waitForFunction(() => !document.querySelector('#board.replying'))
    assert.equal(await page.innerHTML('#board > svg'), before)
    await click(first)
    await says('right', first)
    if (picture && index === 0) await page.screenshot({path: picture})
    // The rest of the solution is shown step by step.
    while (await page.isEnabled('#solution')) await page.click('#solution')
    await page.click('#again')
    await page.waitForFunction(() => document.getElementById('verdict').textContent === '')
    console.log(`puzzle ${index + 1}: ${wrong} is wrong, ${first} is right`)
    if (index + 1 < puzzles.length) await page.click('#next')
  }
  assert.deepEqual(errors, [])
} finally {
  await browser.close()
  rmSync(folder, {recursive: true})
}
