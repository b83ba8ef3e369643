// Looks at the pages of `pentalith stats --html` in headless Chromium, on a telephone and on a desk:
//     node statistics.mjs PROGRAM CHROMIUM
// Prints a line a page. Where anything does not fit, says what and ends with status 1.

import {strict as assert} from 'assert'
import {execFileSync} from 'child_process'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'fs'
import {tmpdir} from 'os'
import {join} from 'path'
import {pathToFileURL} from 'url'
import {chromium} from 'playwright-core'

const [program, executablePath] = process.argv.slice(2)

// Longer than any machine takes: no check depends on time.
const PATIENCE = 1000 * 60 * 5

const folder = mkdtempSync(join(tmpdir(), 'pentalith-statistics-'))
const run = (...args) => execFileSync(program, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']})

// Plays a match of engines of these names. A record of strangers has any text, so names are put in afterwards.
function write(page, names, {more = ['--games', '20'], test = []} = {}) {
  const plain = names.map((_, index) => 'engine-' + index)
  const engines = plain.flatMap(name => ['--engine', name + '=uct'])
  // A file of its own: a match goes on with the record that is there.
  const record = page.replace('html', 'json')
  const limits = ['--nodes', '5', '--nodes', 'engine-0:30']
  run('match', 'invector:5x4', ...engines, ...limits, ...more, '--json', record)
  const games = readFileSync(join(folder, record), 'utf8').trim().split('\n').map(line => JSON.parse(line))
  for (const game of games) for (const seat of [game.black, game.white]) seat.name = names[plain.indexOf(seat.name)]
  writeFileSync(join(folder, record), games.map(game => JSON.stringify(game) + '\n').join(''))
  // With a test, the status is its decision.
  try {
    run('stats', record, '--html', page, ...test)
  } catch (error) {
    assert.ok([4, 5].includes(error.status), String(error))
  }
}

// What leaves its room: the page, tables, and texts of pictures, which must not cover each other either.
function misfits() {
  const found = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) found.push('page ' + root.scrollWidth)
  for (const table of document.querySelectorAll('.wide')) {
    if (table.scrollWidth > table.clientWidth + 1) found.push('table ' + table.textContent.slice(0, 40) + ' ' + table.scrollWidth)
  }
  for (const picture of document.querySelectorAll('figure > svg')) {
    const texts = [...picture.querySelectorAll('text')].map(text => ({text: text.textContent, box: text.getBBox()}))
    const {width} = picture.viewBox.baseVal
    for (const [index, {text, box}] of texts.entries()) {
      if (box.x < -0.5 || box.x + box.width > width + 0.5) found.push('text ' + text)
      for (const {text: other, box: its} of texts.slice(index + 1)) {
        const across = Math.min(box.x + box.width, its.x + its.width) - Math.max(box.x, its.x)
        const down = Math.min(box.y + box.height, its.y + its.height) - Math.max(box.y, its.y)
        // The boxes of two lines overlap by what no letter fills.
        if (across > 1 && down > 4) found.push('overlap ' + text + ' | ' + other)
      }
    }
  }
  return found
}

const PAGES = {
  'two.html': [['first', 'second'], {test: ['--sprt', '0,200']}],
  'three.html': [['alpha', 'beta', 'gamma']],
  'one.html': [['first', 'second'], {more: ['--games', '1', '--no-pairs']}],
  'unfinished.html': [['first', 'second'], {more: ['--games', '20', '--max-moves', '10']}],
  'long.html': [['x'.repeat(100), 'An-engine-with-a-rather-long-name-1.2.3', 'W'.repeat(40)]],
  'strange.html': [['<script>alert(1)</script>', 'שלום עולם', 'محرك الشطرنج السريع']],
}

const browser = await chromium.launch({executablePath, timeout: PATIENCE})
try {
  for (const [name, [names, options]] of Object.entries(PAGES)) {
    write(name, names, options)
    for (const [width, colorScheme] of [[360, 'light'], [1200, 'dark']]) {
      const context = await browser.newContext({offline: true, viewport: {width, height: 800}, colorScheme})
      context.setDefaultTimeout(PATIENCE)
      const page = await context.newPage()
      page.on('dialog', () => assert.fail('a dialog'))
      await page.goto(pathToFileURL(join(folder, name)).href)
      await page.evaluate(() => document.querySelectorAll('details').forEach(part => (part.open = true)))
      assert.deepEqual(await page.evaluate(misfits), [], `${name}, ${width} pixels`)
      const files = await page.locator('button.save').evaluateAll(buttons => buttons.map(button => button.ariaLabel))
      assert.equal(new Set(files).size, files.length, `${name}: two files of one name: ${files.join(', ')}`)
      const head = await page.locator('.lead').allTextContents()
      // The answers come first, and what the games lack.
      assert.equal(head.length, name === 'unfinished.html' ? 4 : 3, head.join('\n'))
      console.log(name, width, head.join(' '))
      await context.close()
    }
  }
} finally {
  await browser.close()
  rmSync(folder, {recursive: true})
}
