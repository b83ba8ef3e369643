// The cells over the picture of the board: marks on those that may be clicked, pointer and keys. It knows no rules: what
// may be clicked is in the state.

import {draw} from './viewer.js'

const HALF = 50 // of the distance between neighbors
const DRAG = 25 // a shorter way of the pointer is a click
const DIRECTIONS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}

const circle = (kind, r) => draw('circle', {class: kind, r})

// The area of a cell, a little smaller by `inset`. A hexagon stands on a corner.
function area(kind, hexagons, inset = 0) {
  const half = HALF - inset
  if (!hexagons) return draw('rect', {class: kind, x: -half, y: -half, width: 2 * half, height: 2 * half, rx: inset})
  const corners = [0, 1, 2, 3, 4, 5].map(corner => {
    const angle = Math.PI * (corner / 3 + 1 / 6)
    const radius = 2 * half / Math.sqrt(3)
    return [radius * Math.cos(angle), radius * Math.sin(angle)].map(Math.round).join()
  })
  return draw('polygon', {class: kind, points: corners.join(' ')})
}

// Creates the cells in the element `svg` over a picture; `click` is called with the label of a cell, and says when it is
// done.
export function createCells(svg, picture, click) {
  let shown = '' // what the elements were made for
  let cells = new Map() // by label: the cell of the state and its element
  let state
  let current // the label of the cell in the order of tabs
  let column = null // the x that keys up and down return to
  let pressed = null // where the pointer went down
  const way = draw('line', {class: 'way'})
  // The piece that is dragged, cut out of the picture.
  const cutout = draw('svg', {class: 'pentalith', x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF})
  const ghost = draw('g', {class: 'ghost', 'clip-path': 'url(#piece)'}, cutout)

  function create() {
    const elements = state.cells.map(cell => {
      const element = draw('g', {
        class: 'cell', role: 'button', tabindex: -1, 'data-cell': cell.label, transform: `translate(${cell.x} ${cell.y})`,
      }, area('area', state.hexagons), circle('dot', 9), circle('ring', 43), circle('goal', 17),
      draw('path', {class: 'cut', d: 'M-26 -26L26 26M-26 26L26 -26'}),
      area('frame', state.hexagons, 6), area('focus', state.hexagons, 3))
      return element
    })
    cells = new Map(state.cells.map((cell, index) => [cell.label, {cell, element: elements[index]}]))
    svg.setAttribute('viewBox', `0 0 ${state.view[0]} ${state.view[1]}`)
    svg.replaceChildren(draw('clipPath', {id: 'piece'}, draw('circle', {r: 46})), ...elements, way, ghost)
    // The new element of a cell that both boards have.
    if (cells.has(current)) setCurrent(current)
  }

  // Sets an attribute where it changes: most cells are as they were.
  function set(entry, name, value) {
    if (entry[name] === value) return
    entry[name] = value
    entry.element.setAttribute(name, value)
  }

  function setCurrent(label) {
    if (cells.has(current)) cells.get(current).element.setAttribute('tabindex', -1)
    current = label
    cells.get(label).element.setAttribute('tabindex', 0)
  }

  function show(next) {
    state = next
    const layout = JSON.stringify([state.cells.map(({label, x, y}) => [label, x, y]), state.hexagons, state.view])
    if (layout !== shown) {
      create()
      shown = layout
    }
    const points = new Set(state.points)
    const targets = new Set(state.targets)
    const removals = new Set(state.removals)
    for (const cell of state.cells) {
      const entry = cells.get(cell.label)
      entry.cell = cell
      const kinds = ['cell']
      const {label} = cell
      const [isPoint, isTarget, isSelected] = [points.has(label), targets.has(label), state.selected === label]
      if (cell.piece) kinds.push('occupied')
      if (isSelected) kinds.push('selected')
      if (isTarget) kinds.push('target')
      else if (isPoint) kinds.push('point')
      const isRemoval = isPoint && removals.has(label)
      if (isRemoval) kinds.push('removal')
      const more = isSelected ? ', selected' : isTarget ? ', target' : isRemoval ? ', can be removed'
        : isPoint ? ', can be played' : ''
      set(entry, 'class', kinds.join(' '))
      set(entry, 'aria-label', cell.name + more)
    }
    svg.classList.toggle('selecting', state.selected !== null)
    svg.classList.toggle('valued', state.analysis.on || state.hint !== null)
    // The first Tab leads to a cell that may be played.
    if (!cells.has(current)) setCurrent(state.points.find(point => cells.has(point)) ?? state.cells[0].label)
  }

  // The cell next to the current one in a direction: the nearest of those that are more in it than beside it. Ways up
  // and down return to the column that they began in, on boards of hexagons too.
  function neighbor([dx, dy]) {
    const {x, y} = cells.get(current).cell
    if (dx) column = null
    else column ??= x
    let [best, least] = [null, Infinity]
    for (const {cell} of cells.values()) {
      const [along, beside] = [(cell.x - x) * dx + (cell.y - y) * dy, Math.abs((cell.x - x) * dy + (cell.y - y) * dx)]
      if (along < HALF / 2 || beside > along) continue
      const cost = along + 2 * beside + (dy ? Math.abs(cell.x - column) / 2 : 0)
      if (cost < least) [best, least] = [cell.label, cost]
    }
    return best
  }

  // Performs a key; false if it is none of the board.
  function key(event) {
    const direction = DIRECTIONS[event.key]
    const focused = svg.contains(document.activeElement)
    if (direction) {
      // The first key shows where the focus is.
      const next = focused ? neighbor(direction) : current
      if (next) setCurrent(next)
      cells.get(current).element.focus()
    } else if (focused && (event.key === 'Enter' || event.key === ' ')) click(current)
    else if (event.key === 'Escape' && state.selected !== null) click(state.selected)
    else return false
    return true
  }

  const labelAt = event => {
    const element = document.elementFromPoint(event.clientX, event.clientY)?.closest('.cell')
    return element && svg.contains(element) ? element.dataset.cell : null
  }

  function inView(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse())
    return [at.x, at.y]
  }

  function letGo() {
    pressed = null
    svg.classList.remove('dragging')
    cutout.replaceChildren()
  }

  svg.addEventListener('pointerdown', event => {
    const label = labelAt(event)
    if (!label || event.button !== 0) return
    const [x, y] = inView(event)
    // One's own pieces can be dragged, if a click on them is allowed; not by touch, which scrolls.
    const own = cells.get(label).cell.piece === state.side && state.points.includes(label)
    pressed = {label, x, y, drags: own && event.pointerType !== 'touch'}
  })

  svg.addEventListener('pointermove', event => {
    if (!pressed?.drags) return
    const [x, y] = inView(event)
    if (!svg.classList.contains('dragging') && Math.hypot(x - pressed.x, y - pressed.y) < DRAG) return
    const {cell} = cells.get(pressed.label)
    if (!svg.classList.contains('dragging')) {
      cutout.setAttribute('viewBox', `${cell.x - HALF} ${cell.y - HALF} ${2 * HALF} ${2 * HALF}`)
      cutout.replaceChildren(...picture.querySelector('svg').cloneNode(true).children)
      // Its targets are shown.
      if (state.selected !== pressed.label) pressed.selects = click(pressed.label)
    }
    ghost.setAttribute('transform', `translate(${x} ${y})`)
    for (const [key, value] of Object.entries({x1: cell.x, y1: cell.y, x2: x, y2: y})) way.setAttribute(key, value)
    svg.classList.add('dragging')
  })

  addEventListener('pointercancel', letGo)
  addEventListener('pointerup', async event => {
    if (!pressed || event.button !== 0) return
    const {label, drags, selects} = pressed
    const dragged = svg.classList.contains('dragging')
    letGo()
    const to = labelAt(event)
    if (to === label && !dragged) {
      setCurrent(label)
      column = null
      click(label)
    } else if (drags && dragged && to) {
      await selects
      if (state.selected === label && to !== label) click(to)
    }
  })

  // The focus may come without a key of ours.
  svg.addEventListener('focusin', event => {
    const label = event.target.closest('.cell')?.dataset.cell
    if (!label || label === current) return
    setCurrent(label)
    column = null
  })

  // Clicks without a pointer, as screen readers make them.
  svg.addEventListener('click', event => {
    const label = event.detail === 0 && event.target.closest('.cell')?.dataset.cell
    if (label) click(label)
  })

  return {show, key}
}
