// How long a click takes, late in a game of Inversion on the largest board that people play: from pressing the button to
// the new state in the page, and to its picture. The pointer is on the cell before, as a person's is.
//
//     node click-speed.mjs PROGRAM CHROMIUM

import {chromium} from 'playwright-core'
import {change, executablePath, open, random, serve, start} from './board-page.mjs'

const CLICKS = 260
const COUNTED = 60 // the last of them
const REST = 150 // milliseconds of the pointer on the cell

const browser = await chromium.launch({executablePath, args: ['--no-sandbox']})
const {server, address} = await serve('inversion:13')
const page = await open(browser, address)
await start(page, 'inversion:13', 'persons')
await page.evaluate(() => {
  window.times = []
  let pressed = 0
  addEventListener('pointerdown', () => pressed = performance.now(), true)
  const app = document.getElementById('app')
  new MutationObserver(() => {
    const [from, shown] = [pressed, performance.now()]
    requestAnimationFrame(() => setTimeout(() => times.push([shown - from, performance.now() - from])))
  }).observe(app, {attributes: true, attributeFilter: ['data-version']})
})
const next = random(1)
for (let click = 0; click < CLICKS; click++) {
  const [x, y] = await page.evaluate(share => {
    const points = document.querySelectorAll('.cell.point .area')
    const box = points[Math.floor(share * points.length)].getBoundingClientRect()
    return [box.x + box.width / 2, box.y + box.height / 2]
  }, next())
  await page.mouse.move(x, y)
  await page.waitForTimeout(REST)
  await change(page, () => page.mouse.click(x, y))
}
const times = (await page.evaluate(() => window.times)).slice(-COUNTED)
const median = list => list.toSorted((one, other) => one - other)[list.length >> 1].toFixed(0)
console.log(`state ${median(times.map(([state]) => state))} ms, picture ${median(times.map(([, picture]) => picture))} ms`)
await browser.close()
server.removeAllListeners('exit')
server.kill()
