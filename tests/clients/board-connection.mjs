// The connection of the board to its program: lost and found, many pages, hidden pages, fast games.

import {strict as assert} from 'assert'
import {writeFileSync} from 'fs'
import {createServer} from 'http'
import {join} from 'path'

import {
  cell, change, close, folder, open, PATIENCE, read, serve, start, withServer,
} from './board-page.mjs'

// A page whose connection breaks, or whose board the server has forgotten, goes on with its game.
export async function reconnects(browser) {
  await withServer('markane:4x4', async address => {
    const page = await open(browser, address)
    await start(page, 'markane:4x4', 'persons')
    await change(page, () => cell(page, 'b2').click())
    const state = await read(page)
    await page.route('**/open', route => route.abort())
    await page.reload()
    await page.waitForFunction(() => /^Connection lost/.test(document.getElementById('connection').textContent))
    await page.unroute('**/open')
    await page.locator('#connection').waitFor({state: 'hidden'})
    assert.deepEqual(await read(page), state)
    // No page is watching while others open more boards than there is room for.
    const link = page.url()
    await page.goto('about:blank')
    for (let i = 0; i < 40; i++) {
      const body = JSON.stringify({tab: null, link: null})
      const headers = {'Content-Type': 'application/json', Origin: new URL(address).origin}
      const reply = await page.request.post(address + 'open', {data: body, headers})
      assert.equal(reply.status(), 200, await reply.text())
      // The server notices by and by that the page has gone.
      await new Promise(done => setTimeout(done, 50))
    }
    await page.goto(link)
    await page.locator('#app').waitFor()
    assert.deepEqual(await read(page), state)
    await change(page, () => cell(page, 'c3').click())
    await page.context().close()
  })
}

// The page says that the program has ended, and keeps the game.
export async function ended(browser) {
  const {server, address} = await serve('markane:4x4')
  const page = await open(browser, address)
  server.removeAllListeners('exit')
  server.kill()
  await page.waitForFunction(() => /has ended/.test(document.getElementById('connection').textContent))
  assert.ok(await page.locator('#connection').isVisible())
  assert.equal(await page.locator('.cell').count(), 16)
  await page.context().close()
}

// Eight windows of a browser, which has six connections to the program.
export async function eightWindows(browser) {
  await withServer('markane:4x4', async address => {
    const first = await open(browser, address)
    const pages = [first]
    while (pages.length < 8) pages.push(await open(browser, address, {context: first.context()}))
    for (const page of pages) {
      await start(page, 'markane:4x4', 'persons')
      await change(page, () => cell(page, 'b2').click())
    }
    // What the engine does comes by the stream, to each of them.
    for (const page of pages) await page.locator('#engine').click()
    for (const page of pages) {
      await page.waitForFunction(() => document.querySelectorAll('#moves li:has(.step:not(.ahead))').length === 2)
      assert.deepEqual(page.troubles, [])
    }
    await first.context().close()
  })
}

// Notes the streams of a page, and lets it be hidden.
function spy() {
  window.streams = []
  window.EventSource = class extends EventSource {
    constructor(path) {
      super(path)
      window.streams.push(this)
    }
  }
  let isHidden = false
  Object.defineProperty(document, 'hidden', {get: () => isHidden})
  window.hide = hidden => {
    isHidden = hidden
    document.dispatchEvent(new Event('visibilitychange'))
  }
  window.isOpen = () => window.streams.some(stream => stream.readyState !== EventSource.CLOSED)
}

// A hidden page gives its connection away, unless the engine is about to move.
export async function hidden(browser) {
  await withServer('markane:5x5', async address => {
    const page = await open(browser, address, {before: spy})
    await start(page, 'markane:5x5', 'persons')
    await page.locator('#analysis').click()
    await page.locator('#lines tr').first().waitFor()
    await page.evaluate(() => window.hide(true))
    assert.equal(await page.evaluate(() => window.isOpen()), false)
    await page.evaluate(() => window.hide(false))
    await page.waitForFunction(() => window.isOpen())
    await page.locator('#analysis').click()
    await start(page, 'markane:5x5', 'white', {seconds: '60'})
    await page.waitForFunction(() => document.getElementById('engine-label').textContent === 'Move now')
    await page.evaluate(() => window.hide(true))
    assert.equal(await page.evaluate(() => window.isOpen()), true)
    await page.locator('#engine').click()
    await page.waitForFunction(() => !window.isOpen())
    assert.equal((await read(page)).moves.length, 1)
    await close(page)
  })
}

// States that come faster than they can be drawn: the newest is drawn, and the address changes rarely.
export async function fastGames(browser) {
  await withServer('markane:4x4', async address => {
    const page = await open(browser, address, {before: () => {
      window.EventSource = class {
        constructor() {
          window.stream = this
        }
        close() {}
        addEventListener() {}
      }
      const replace = history.replaceState.bind(history)
      window.changes = 0
      history.replaceState = (...args) => {
        window.changes++
        // As Safari does.
        if (window.changes > 100) throw new DOMException('too often', 'SecurityError')
        replace(...args)
      }
    }})
    const reply = await page.request.post(address + 'open', {
      data: JSON.stringify({tab: null, link: null}),
      headers: {'Content-Type': 'application/json', Origin: new URL(address).origin},
    })
    const {state} = await reply.json()
    const [drawn, changes] = await page.evaluate(async state => {
      let drawn = 0
      const app = document.getElementById('app')
      new MutationObserver(list => { drawn += list.length }).observe(app, {attributeFilter: ['data-version']})
      const send = version =>
        window.stream.onmessage({data: JSON.stringify({...state, version, link: `markane:4x4 moves a${version}`})})
      for (let version = 1000; version <= 2000; version++) send(version)
      while (app.dataset.version !== '2000') await new Promise(requestAnimationFrame)
      const first = drawn
      for (let version = 2001; version <= 2200; version++) {
        send(version)
        await new Promise(requestAnimationFrame)
      }
      return [first, window.changes]
    }, state)
    assert.equal(drawn, 1)
    assert.ok(changes < 60, `${changes} changes of the address`)
    await page.waitForFunction(() => location.hash.endsWith('a2200'))
    await close(page)
  })
}

// Without cookies and storage, and with a browser that refuses every change of the address.
export async function withoutStorage(browser) {
  await withServer('markane:4x4', async address => {
    const page = await open(browser, address, {before: () => {
      const refuse = () => { throw new DOMException('refused', 'SecurityError') }
      Object.defineProperty(window, 'sessionStorage', {get: refuse})
      history.replaceState = refuse
    }})
    await start(page, 'markane:4x4', 'persons')
    await change(page, () => cell(page, 'b2').click())
    assert.deepEqual((await read(page)).moves, ['b2'])
    await close(page)
  })
}

// A program that is stopped answers no click, and the page says so until it goes on.
export async function stopped(browser) {
  const {server, address} = await serve('markane:4x4')
  try {
    const page = await open(browser, address)
    await start(page, 'markane:4x4', 'persons')
    server.kill('SIGSTOP')
    await cell(page, 'b2').click()
    await page.waitForFunction(() => /does not answer/.test(document.getElementById('connection').textContent))
    await page.locator('#connection').waitFor()
    await change(page, () => server.kill('SIGCONT'))
    await page.locator('#connection').waitFor({state: 'hidden'})
    assert.deepEqual((await read(page)).moves, ['b2'])
    await close(page)
  } finally {
    server.removeAllListeners('exit')
    server.kill('SIGCONT')
    server.kill()
  }
}

// Times of a move that the field would not take.
export async function anyTime(browser) {
  for (const time of ['0', '10', '50', '5000000']) {
    const {server, address} = await serve('markane:4x4', '--movetime', time)
    const page = await open(browser, address)
    await start(page, 'markane:5x4', 'persons')
    await page.waitForFunction(() => document.querySelectorAll('.cell').length === 20)
    await page.locator('#seat-black').click()
    await page.locator('#seconds').evaluate(field => { field.value = '-1' })
    await page.locator('#start').click()
    await page.waitForFunction(() => /expected 0.01 to 3600/.test(document.getElementById('setup-error').textContent))
    await close(page, 1)
    server.removeAllListeners('exit')
    server.kill()
  }
}

// The right address opens the page from a file and from a link of another site, and never in a frame.
export async function fromElsewhere(browser) {
  await withServer('markane:4x4', async address => {
    const file = join(folder, 'redirect.html')
    writeFileSync(file, `<meta http-equiv="refresh" content="0; url=${address}">`)
    const context = await browser.newContext()
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    await page.goto('file://' + file)
    await page.locator('#app').waitFor()
    const note = createServer((_, reply) => {
      reply.setHeader('Content-Type', 'text/html')
      reply.end(`<a href="${address}">the board</a><iframe src="${address}"></iframe>`)
    })
    await new Promise(done => note.listen(0, 'localhost', done))
    await page.goto(`http://localhost:${note.address().port}/`)
    const [, frame] = page.frames()
    assert.equal(await frame.locator('#app').count(), 0)
    await page.locator('a').click()
    await page.locator('#app').waitFor()
    await context.close()
    note.closeAllConnections()
    note.close()
  })
}
