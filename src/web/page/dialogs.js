// The dialogs of the page: new game, players, record and link, resignation, keys.

import {byId, copy, make, markCopied} from './viewer.js'

const LARGEST = 1000 * 1000 // bytes of a record that the server reads

// `act` sends an action and returns the error, `data` gives the present state, games, levels, and paths at the server.
export function createDialogs({act, toast, edit, data}) {
  const dialogs = [...document.querySelectorAll('dialog')]
  const close = dialog => dialog.open && dialog.close()

  for (const dialog of dialogs) {
    dialog.querySelector('.close').addEventListener('click', () => close(dialog))
    // A click beside the dialog, where its backdrop is.
    dialog.addEventListener('pointerdown', event => event.target === dialog && close(dialog))
    dialog.querySelector('form').addEventListener('submit', event => event.preventDefault())
  }

  function fail(id, error) {
    byId(id).textContent = error ?? ''
    byId(id).hidden = !error
  }

  // ---- New game and players ----

  const players = () => document.querySelector('input[name=players]:checked').value
  const PLAYERS = {
    black: {black: 'person', white: 'engine'}, white: {black: 'engine', white: 'person'},
    persons: {black: 'person', white: 'person'}, engines: {black: 'engine', white: 'engine'},
  }
  let isNew // whether a game begins, or only the players change
  let game // the game that is chosen

  function fillPlayers() {
    const {state, levels} = data()
    const same = ([, {black, white}]) => black === state.players.black && white === state.players.white
    const [kind] = Object.entries(PLAYERS).find(same)
    document.querySelector(`input[name=players][value=${kind}]`).checked = true
    byId('level').replaceChildren(...levels.map(level => new Option(level, level, false, level === state.level)))
    byId('seconds').value = state.seconds
    byId('with-clocks').checked = state.clocks !== null
    byId('minutes').value = state.clocks?.minutes ?? (byId('minutes').value || 10)
    byId('increment').value = state.clocks?.increment ?? (byId('increment').value || 5)
    enable()
  }

  // Fields without use can't be changed.
  function enable() {
    for (const id of ['minutes', 'increment']) byId(id).disabled = !byId('with-clocks').checked
    byId('level').disabled = byId('seconds').disabled = players() === 'persons'
  }

  // A field of an option: a choice, or free text if there are no values to choose from.
  function item({name, values, about}, chosen, usual) {
    const id = 'option-' + name
    const choices = values?.includes(chosen) === false ? [chosen, ...values] : values
    const field = choices
      ? make('select', {id}, ...choices.map(value => new Option(value, value, false, value === chosen)))
      : make('input', {id, value: chosen, placeholder: usual, autocomplete: 'off', spellcheck: false})
    field.addEventListener('input', writeVariant)
    return make('label', {title: about}, `${name} `, field)
  }

  // Splits a variant into its game, its size and its options.
  function read(variant) {
    const [name, rest = ''] = variant.split(':')
    const items = rest.split(',').filter(Boolean)
    const size = items.find(text => !text.includes('='))
    return {name, size, options: new Map(items.filter(text => text.includes('=')).map(text => text.split('=')))}
  }

  function fillOptions(variant) {
    const {name, size, options} = read(variant)
    game = data().games.find(game => game.name === name)
    const fields = []
    const {sizes, about, default: usual} = game.size
    if (sizes.length) fields.push(item({name: 'size', values: sizes, about}, size ?? usual))
    for (const option of game.options) {
      // Some defaults go with the size.
      const isFixed = !option.about.includes('where none is given')
      const chosen = options.get(option.name) ?? (option.values ? option.default : '')
      fields.push(item(option, chosen, isFixed ? option.default : 'default'))
    }
    byId('options').replaceChildren(...fields)
    byId('about').replaceChildren(...game.options.flatMap(({name, range, about}) => [
      make('dt', {textContent: name}), make('dd', {textContent: range ? `${range}: ${about}` : about})]))
    for (const radio of document.querySelectorAll('input[name=game]')) radio.checked = radio.value === name
    writeVariant()
  }

  function writeVariant() {
    const items = []
    const size = byId('option-size')?.value
    if (size && size !== game.size.default) items.push(size)
    for (const {name, default: usual} of game.options) {
      const value = byId('option-' + name).value.trim()
      if (value && value !== usual) items.push(`${name}=${value}`)
    }
    byId('variant-text').value = game.name + (items.length ? ':' + items.join() : '')
  }

  function fillGames() {
    byId('games').replaceChildren(...data().games.map(({name, author, about}) => {
      const radio = make('input', {type: 'radio', name: 'game', value: name})
      radio.addEventListener('change', () => fillOptions(name))
      const title = make('b', {textContent: name.charAt(0).toUpperCase() + name.slice(1)})
      const by = make('span', {className: 'by', textContent: author || 'author unknown'})
      return make('label', {className: 'game'}, radio, make('span', {}, title, ' ', by, make('br'), about))
    }))
  }

  function setup(begins) {
    isNew = begins
    byId('setup').classList.toggle('players-only', !begins)
    byId('setup-title').textContent = begins ? 'New game' : 'Players and clocks'
    byId('start').textContent = begins ? 'Start' : 'Set'
    fail('setup-error', null)
    if (begins) {
      fillGames()
      fillOptions(data().state.variant)
    }
    fillPlayers()
    byId('setup').showModal()
    document.querySelector(`input[name=${begins ? 'game' : 'players'}]:checked`).focus()
  }

  async function start() {
    const {state} = data()
    const isOn = byId('with-clocks').checked
    const clocks = isOn ? {minutes: Number(byId('minutes').value), increment: Number(byId('increment').value)} : null
    const level = byId('level').value
    // The command line allows times that a field does not: what nobody has changed stays as it is.
    const seconds = byId('seconds').value === String(state.seconds) ? undefined : Number(byId('seconds').value)
    const chosen = PLAYERS[players()]
    const actions = []
    if (isNew) actions.push({do: 'new', variant: byId('variant-text').value.trim(), players: chosen, level, seconds, clocks})
    else {
      if (level !== state.level) actions.push({do: 'level', level})
      if (seconds !== undefined) actions.push({do: 'seconds', seconds})
      // Clocks that stay as they are go on.
      const {minutes, increment} = state.clocks ?? {}
      if (isOn !== (state.clocks !== null) || isOn && (clocks.minutes !== minutes || clocks.increment !== increment)) {
        actions.push({do: 'clocks', ...(clocks ?? {minutes: null})})
      }
      if (JSON.stringify(chosen) !== JSON.stringify(state.players)) actions.push({do: 'players', ...chosen})
    }
    for (const action of actions) {
      const error = await act(action, true)
      if (error) return fail('setup-error', error)
    }
    close(byId('setup'))
  }

  byId('setup').querySelector('form').addEventListener('submit', start)
  byId('with-clocks').addEventListener('input', enable)
  byId('players').addEventListener('input', enable)

  // ---- Record, position, link ----

  async function copyRecord() {
    const reply = await fetch(data().pathOf('record'), {cache: 'no-store'}).catch(() => null)
    if (!reply?.ok) return fail('file-error', 'The program does not send the record.')
    copy(await reply.text(), byId('copy-record'))
  }

  async function load(text) {
    if (!text.trim()) return fail('file-error', 'Paste a record or a link first, or choose a file.')
    if (new Blob([text]).size > LARGEST) return fail('file-error', 'A record may have 1 MB at most.')
    // Of a whole address the game is what follows the first #.
    const address = text.trim()
    const isAddress = /^https?:\/\/[^\s#]+#\S+$/.test(address)
    const hash = isAddress ? address.slice(address.indexOf('#') + 1) : undefined
    let link = hash
    try {
      link = hash && decodeURIComponent(hash)
    } catch {
      // As it is.
    }
    const error = await act({do: 'load', text: link ?? text}, true)
    fail('file-error', error)
    if (error) return
    byId('record').value = ''
    close(byId('file'))
    toast('The game is loaded.')
  }

  // The picture of the position with its size in pixels, as an address.
  function pictureOf({svg, view: [width, height]}) {
    const sized = svg.replace('<svg ', `<svg width="${width}" height="${height}" `)
    return 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(sized)
  }

  async function copyPicture() {
    const {state} = data()
    const image = new Image()
    image.src = pictureOf(state)
    try {
      await image.decode()
      const [canvas, [width, height]] = [document.createElement('canvas'), state.view]
      const scale = 1200 / Math.max(width, height)
      Object.assign(canvas, {width: Math.round(width * scale), height: Math.round(height * scale)})
      const context = canvas.getContext('2d')
      context.fillStyle = '#fff'
      context.fillRect(0, 0, canvas.width, canvas.height)
      context.drawImage(image, 0, 0, canvas.width, canvas.height)
      const png = await new Promise(done => canvas.toBlob(done, 'image/png'))
      await navigator.clipboard.write([new ClipboardItem({'image/png': png})])
      markCopied(byId('copy-picture'))
    } catch {
      fail('file-error', 'The browser does not copy pictures: download it.')
    }
  }

  byId('copy-picture').addEventListener('click', copyPicture)
  byId('copy-record').addEventListener('click', copyRecord)
  byId('load').addEventListener('click', () => load(byId('record').value))
  byId('record-file').addEventListener('change', async event => {
    const [file] = event.target.files
    event.target.value = ''
    if (!file) return
    if (file.size > LARGEST) fail('file-error', `${file.name} has ${file.size} bytes: a record may have 1 MB at most.`)
    else load(await file.text())
  })
  byId('copy-position').addEventListener('click', () => copy(byId('position').value, byId('copy-position')))
  byId('copy-link').addEventListener('click', () => copy(byId('link').value, byId('copy-link')))
  byId('set-position').addEventListener('click', async () => {
    const error = await act({do: 'position', text: byId('position').value.trim()}, true)
    fail('file-error', error)
    if (!error) close(byId('file'))
  })
  byId('edit-position').addEventListener('click', () => {
    close(byId('file'))
    edit()
  })
  byId('position').addEventListener('keydown', event => {
    if (event.key === 'Enter') byId('set-position').click()
  })

  function fillFiles(state) {
    byId('download').href = data().pathOf('record')
    byId('page-file').href = data().pathOf('page')
    byId('picture-file').href = pictureOf(state)
    byId('picture-file').download = `${state.variant.replace(/[^a-z0-9.]/g, '-')}-${state.plays}.svg`
    byId('link').value = location.href.split('#')[0] + '#' + encodeURIComponent(state.link)
    if (document.activeElement !== byId('position')) byId('position').value = state.position
  }

  // ---- Rules ----

  function showRules() {
    if (byId('rules').open) return byId('rules').close()
    const {state, games} = data()
    const name = state.variant.split(':')[0]
    const elements = []
    let literal = null
    for (const block of games.find(game => game.name === name).rules) {
      const [[kind, text]] = Object.entries(block)
      if (kind === 'literal' && text) {
        if (!literal) elements.push(literal = make('pre'))
        literal.append(text + '\n')
        continue
      }
      literal = null
      if (kind === 'table') elements.push(tableOf(text))
      else if (kind === 'picture') elements.push(make('img', {src: `pictures/${text[0]}`, alt: text[1], title: text[1]}))
      else if (kind === 'heading') elements.push(make('h3', {textContent: text}))
      else if (text) elements.push(make('p', {textContent: text, className: kind}))
    }
    // The name of the game is the title.
    byId('rules-title').textContent = elements.shift().textContent
    byId('rules-text').replaceChildren(...elements)
    // Where there is room, they lie beside the board, on which the game goes on.
    if (matchMedia('(min-width: 52rem)').matches) byId('rules').show()
    else byId('rules').showModal()
    // The focus is on the button at the end.
    byId('rules').scrollTop = 0
  }

  function tableOf(rows) {
    const row = (cells, kind) => {
      const line = make('tr')
      line.append(...cells.map(text => make(kind, {textContent: text})))
      return line
    }
    const table = make('table')
    table.append(row(rows[0], 'th'), ...rows.slice(1).map(cells => row(cells, 'td')))
    return table
  }

  // ---- Resignation ----

  byId('resigning').querySelector('form').addEventListener('submit', () => {
    close(byId('resigning'))
    act({do: 'resign'})
  })

  return {
    newGame: () => setup(true),
    players: () => setup(false),
    files() {
      fail('file-error', null)
      fillFiles(data().state)
      byId('file').showModal()
    },
    resign() {
      const {side, players} = data().state
      const loser = players[side] === 'person' || players.black === players.white ? side : side === 'black' ? 'white' : 'black'
      const [name, winner] = loser === 'black' ? ['Black', 'White'] : ['White', 'Black']
      byId('resign-text').textContent = `${name} gives up, and ${winner} wins.`
      byId('resigning').showModal()
    },
    rules: showRules,
    help: () => byId('help').showModal(),
    // Keeps an open dialog in step with the state.
    show(state) {
      if (byId('file').open) fillFiles(state)
      if (state.result) close(byId('resigning'))
    },
  }
}
