// Setting up a position by clicks. The server draws it, and says whether a game can begin there.

import {byId} from './viewer.js'

// `post` asks the server, `begin` begins a game at a position and returns the error, `draw` shows a picture with its cells,
// `ended` shows the game again.
export function createSetup({post, begin, draw, ended}) {
  let position = null // while one is set up
  let variant
  let isFlipped
  let last = Promise.resolve() // the last change: each begins at the answer to the one before it

  const value = name => document.querySelector(`input[name=${name}]:checked`).value

  function fail(error) {
    byId('editor-error').textContent = error ?? ''
    byId('editor-error').hidden = !error
    byId('editor-done').disabled = Boolean(error)
  }

  async function ask(text, cell, piece) {
    const {answer} = await post('setup', {variant, position: text, flipped: isFlipped, cell, piece})
    if (position === null) return
    if (answer.svg === undefined) return fail(answer.error)
    position = answer.position
    byId('editor-value').hidden = answer.values === 0
    byId('value').max = answer.values
    const [, side, ...fields] = position.split(' ')
    const radio = document.querySelector(`input[name=side][value=${side}]`)
    if (radio) radio.checked = true
    if (document.activeElement !== byId('fields')) byId('fields').value = fields.join(' ')
    fail(answer.error)
    draw(answer)
  }

  // Does something after the changes before it.
  function then(action) {
    last = last.then(action).catch(() => fail('The program does not answer'))
    return last
  }

  // Changes the position that there is then, as `text` writes it.
  const change = (text, cell, piece) => then(() => position === null ? undefined : ask(text(), cell, piece))

  // The position with the side and the fields of the panel.
  const text = (side = value('side'), fields = byId('fields').value) =>
    [position.split(' ')[0], side, fields.trim()].filter(Boolean).join(' ')

  function close() {
    position = null
    document.body.classList.remove('editing')
    ended()
  }

  for (const side of document.querySelectorAll('input[name=side]')) {
    side.addEventListener('change', () => change(() => text(side.value)))
  }
  byId('fields').addEventListener('change', () => {
    const fields = byId('fields').value
    change(() => text(value('side'), fields))
  })
  byId('editor-empty').addEventListener('click', () => change(() => ''))
  byId('editor-cancel').addEventListener('click', close)
  byId('editor-done').addEventListener('click', () => then(async () => {
    if (position === null) return
    const error = await begin(text())
    if (error) fail(error)
    else close()
  }))
  return {
    isActive: () => position !== null,
    start: state => then(() => {
      ({position, variant, flipped: isFlipped} = state)
      document.body.classList.add('editing')
      return ask(position)
    }),
    click(label) {
      const color = value('piece')
      const number = byId('editor-value').hidden ? '' : byId('value').value
      return change(text, label, color === '.' ? color : color + number)
    },
  }
}
