// The page of `pentalith board` in headless Chromium, as its tests open, read and click it.

import {strict as assert} from 'assert'
import {execFileSync, spawn} from 'child_process'
import {mkdtempSync} from 'fs'
import {tmpdir} from 'os'
import {join} from 'path'

export const [program, executablePath] = process.argv.slice(2)

// Longer than any machine takes: no check depends on time.
export const PATIENCE = Number(process.env.PATIENCE) || 1000 * 60 * 5

export const folder = mkdtempSync(join(tmpdir(), 'pentalith-board-'))
export const run = (...args) => execFileSync(program, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']})

// Random numbers from 0 to 1 that are the same in every run.
export function random(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export async function serve(...more) {
  const server = spawn(program, ['board', '--no-open', '--port', '0', ...more], {stdio: ['ignore', 'pipe', 'ignore']})
  const address = await new Promise((resolve, reject) => {
    let text = ''
    server.stdout.on('data', data => {
      text += data
      if (text.includes('\n')) resolve(text.split('\n')[0])
    })
    server.on('exit', status => reject(new Error(`the server ended with status ${status}`)))
  })
  return {server, address}
}

// Does something with a server of its own: one has room for a few boards only.
export async function withServer(variant, action) {
  const {server, address} = await serve(variant)
  try {
    await action(address)
  } finally {
    server.removeAllListeners('exit')
    server.kill()
  }
}

// Opens the page, and notes whatever it says, loads from elsewhere or complains about. `before` runs in the page first.
export async function open(browser, address, {hash = '', before = null, context = null, ...options} = {}) {
  context ??= await browser.newContext({
    viewport: {width: 1200, height: 800}, reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'], ...options,
  })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  if (before) await page.addInitScript(before)
  page.troubles = []
  page.refused = 0 // answers that say no, which the browser's console tells, too
  page.on('console', message => {
    if (message.text().includes('409 (Conflict)')) page.refused++
    else page.troubles.push(message.text())
  })
  page.on('pageerror', error => page.troubles.push(String(error)))
  page.on('dialog', dialog => {
    page.troubles.push('dialog')
    return dialog.dismiss()
  })
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(address) && !url.startsWith('data:')) page.troubles.push(url)
  })
  await page.goto(address + hash)
  await page.locator('#app').waitFor()
  return page
}

// `refused` is the number of actions that were to be refused.
export async function close(page, refused = 0) {
  assert.deepEqual(page.troubles, [])
  assert.equal(page.refused, refused)
  await page.context().close()
}

export const version = page => page.evaluate(() => Number(document.getElementById('app').dataset.version))

// Does something, and waits for a newer state.
export async function change(page, action) {
  const before = await version(page)
  await action()
  await page.waitForFunction(before => Number(document.getElementById('app').dataset.version) > before, before, {polling: 5})
}

// What the page shows of the game.
export const read = page => page.evaluate(() => {
  const labels = kind => [...document.querySelectorAll(`.cell.${kind}`)].map(cell => cell.dataset.cell)
  const occupied = new Set(labels('occupied'))
  return {
    points: labels('point'), targets: labels('target'), selected: labels('selected')[0] ?? null,
    captures: labels('target').filter(label => occupied.has(label)),
    buttons: [...document.querySelectorAll('#steps [data-point]')].map(button => button.dataset.point),
    asks: !document.getElementById('question').hidden,
    isOver: document.getElementById('state').classList.contains('over'),
    headline: document.getElementById('headline').textContent,
    moves: [...document.querySelectorAll('#moves li:has(.step:not(.ahead))')].map(move =>
      [...move.querySelectorAll('.step:not(.ahead)')].map(step => step.textContent).join()),
  }
})

// Clicks on cells where they are: many clicks need speed.
export async function clickCell(page, label) {
  const [x, y] = await page.evaluate(label => {
    const box = document.querySelector(`.cell[data-cell="${label}"] .area`).getBoundingClientRect()
    return [box.x + box.width / 2, box.y + box.height / 2]
  }, label)
  await page.mouse.click(x, y)
}

// Keeps a picture of the page, where SHOTS names a folder.
export async function shoot(page, name) {
  if (process.env.SHOTS) await page.screenshot({path: join(process.env.SHOTS, name + '.png')})
}

export const cell = (page, label) => page.locator(`.cell[data-cell="${label}"]`)
export const waitForDialog = (page, isOpen) =>
  page.waitForFunction(isOpen => Boolean(document.querySelector('dialog[open]')) === isOpen, isOpen)

// Starts a game in the dialog.
export async function start(page, variant, players, {level, seconds, clocks} = {}) {
  await page.locator('#new').click()
  await page.locator('#variant-text').fill(variant)
  await page.locator(`input[name=players][value=${players}]`).check()
  if (level) await page.locator('#level').selectOption(level)
  if (seconds) await page.locator('#seconds').fill(seconds)
  if (clocks) {
    await page.locator('#with-clocks').check()
    await page.locator('#minutes').fill(clocks[0])
    await page.locator('#increment').fill(clocks[1])
  }
  await page.locator('#start').click()
  await waitForDialog(page, false)
  await page.waitForFunction(() => document.querySelectorAll('#moves li:has(.step:not(.ahead))').length === 0)
}

export async function position(page) {
  await page.locator('#files').click()
  const text = await page.locator('#position').inputValue()
  await page.keyboard.press('Escape')
  await waitForDialog(page, false)
  return text
}

export async function record(page, name) {
  await page.locator('#files').click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#download').click()])
  await download.saveAs(join(folder, name))
  await page.keyboard.press('Escape')
  await waitForDialog(page, false)
}

// A whole game by clicks on marked cells and buttons, with both sides.

export const toast = (page, pattern) => page.waitForFunction(source => {
  const toast = document.getElementById('toast')
  return toast.classList.contains('shown') && new RegExp(source).test(toast.textContent)
}, pattern.source)
