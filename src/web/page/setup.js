// Setting up a position by clicks. The server draws it, and says whether a game can begin there.

import {byId} from './viewer.js'

// `post` asks the server, `begin` begins a game at a position and returns the error, `draw` shows a picture with its cells,
// `ended` shows the game again.
export function createSetup({post, begin, draw, ended}) {
  let position = null // while one is set up
  let variant
  let isFlipped

  const value = name => document.querySelector(`input[name=${name}]:checked`).value

  function fail(error) {
    byId('editor-error').textContent = error ?? ''
    byId('editor-error').hidden = !error
    byId('editor-done').disabled = Boolean(error)
  }

  async function change(text, cell, piece) {
    const {answer} = await post('setup', {variant, position: text, flipped: isFlipped, cell, piece})
    if (position === null) return
    if (answer.svg === undefined) return fail(answer.error)
    position = answer.position
    byId('editor-value').hidden = answer.values === 0
    byId('value').max = answer.values
    const [, side, ...fields] = position.split(' ')
    document.querySelector(`input[name=side][value=${side}]`)?.click()
    if (document.activeElement !== byId('fields')) byId('fields').value = fields.join(' ')
    fail(answer.error)
    draw(answer)
  }

  // The position with the side and the fields of the panel.
  const text = () => [position.split(' ')[0], value('side'), byId('fields').value.trim()].filter(Boolean).join(' ')

  function close() {
    position = null
    document.body.classList.remove('editing')
    ended()
  }

  for (const side of document.querySelectorAll('input[name=side]')) {
    side.addEventListener('change', () => position !== null && change(text()))
  }
  byId('fields').addEventListener('change', () => change(text()))
  byId('editor-empty').addEventListener('click', () => change(''))
  byId('editor-cancel').addEventListener('click', close)
  byId('editor-done').addEventListener('click', async () => {
    const error = await begin(text())
    if (error) fail(error)
    else close()
  })
  return {
    isActive: () => position !== null,
    start(state) {
      ({position, variant, flipped: isFlipped} = state)
      document.body.classList.add('editing')
      return change(position)
    },
    click(label) {
      const color = value('piece')
      const number = byId('editor-value').hidden ? '' : byId('value').value
      return change(text(), label, color === '.' ? color : color + number)
    },
  }
}
