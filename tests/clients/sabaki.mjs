// Plays a whole game of every game by @sabaki/gtp, the GTP library of the GUI Sabaki:
//     node sabaki.mjs PROGRAM
// Prints a line a game. Where anything is not as it should be, says what and ends with status 1.

import {strict as assert} from 'assert'
import sabaki from '@sabaki/gtp'

const {Controller, ControllerStateTracker} = sabaki
const program = process.argv[2]

// Longer than any machine takes to answer `quit`: the library's own three seconds would make this test depend on time.
const PATIENCE = 1000 * 60 * 10

// The variant on the command line, what the library then makes of it, and the canonical variant that must result.
const GAMES = [
  {variant: 'invector', boardsize: [5, 4], becomes: 'invector:5x4'},
  {variant: 'gravel:3,x=3', boardsize: [3, 3], becomes: 'gravel:3,x=3'},
  {variant: 'markane', boardsize: [6, 6], becomes: 'markane:6x6'},
  {variant: 'markane:pie=on', boardsize: [4, 5], becomes: 'markane:4x5,pie=on'},
  // On a hexagonal board the size is the width of the grid.
  {variant: 'inversion', boardsize: [5, 5], komi: 0.5, becomes: 'inversion:3,komi=0.5'},
  {variant: 'invictus:stall=9', boardsize: [9, 9], becomes: 'invictus:stall=9'},
]

function start(variant) {
  const controller = new Controller(program, ['gtp', variant])
  const engine = new ControllerStateTracker(controller)
  engine.errors = []
  controller.on('stderr', ({content}) => engine.errors.push(content))
  controller.start()
  // The library calls it signal, but it is the exit code.
  engine.stopped = new Promise(resolve => controller.once('stopped', ({signal}) => resolve(signal)))
  return engine
}

async function stop(engine) {
  await engine.controller.stop(PATIENCE)
  assert.equal(await engine.stopped, 0, 'exit code after quit')
  assert.deepEqual(engine.errors, [], 'standard error')
}

// The text of an answer that must not be an error.
async function ask(engine, name, ...args) {
  const {error, content} = await engine.queueCommand({name, args})
  assert(!error, `${name} ${args.join(' ')}: ${content}`)
  return content
}

async function refuses(engine, words, name, ...args) {
  const {error, content} = await engine.queueCommand({name, args})
  const command = `${name} ${args.join(' ')}`
  assert(error, `${command}: expected an error, not "${content}"`)
  assert(content.startsWith(words), `${command}: expected "${words}", not "${content}"`)
}

const words = text => text.split(' ').filter(word => word !== '')
const side = position => words(position)[1]

async function play({variant, becomes, komi = null, boardsize}) {
  const settings = {
    boardsize,
    komi,
    timeSettings: {mainTime: 0, byoyomiTime: 1, byoyomiStones: 0},
    history: [],
  }
  const [player, judge] = [start(variant), start(variant)]
  for (const engine of [player, judge]) {
    await engine.sync(settings)
    assert.equal(await ask(engine, 'variant'), becomes)
  }
  await ask(player, 'set', 'Nodes', '200')
  await ask(player, 'set', 'Seed', '1')

  // The player makes whole moves; the judge takes them a step at a time and says whether each is legal.
  const positions = [await ask(player, 'position')]
  for (;;) {
    const position = positions[positions.length - 1]
    const legal = words(await ask(player, 'legal'))
    if (legal.length === 0) break
    const color = side(position)
    await refuses(player, 'illegal move', 'play', color === 'b' ? 'w' : 'b', legal[0])
    const move = await ask(player, 'genmove', color)
    const steps = move.split(',')
    assert(legal.includes(steps[0]), `${move} is not among ${legal.join(' ')}`)
    for (const step of steps) {
      const now = words(await ask(judge, 'legal'))
      assert(now.includes(step), `${step} of ${move} is not among ${now.join(' ')}`)
      await ask(judge, 'play', color, step)
    }
    positions.push(await ask(player, 'position'))
    assert.equal(await ask(judge, 'position'), positions[positions.length - 1], `after ${move}`)
  }
  const count = positions.length - 1
  const end = positions[count]
  assert(count > 3, 'a game of more than three moves')
  assert.equal(await ask(judge, 'legal'), '')

  const score = words(await ask(player, 'score'))
  const result = await ask(player, 'final_score')
  assert(/^(0|[BW]\+[0-9.]*)$/.test(result), `final_score: ${result}`)
  const winner = result === '0' ? 'draw' : result.slice(0, 2).toLowerCase()
  assert.equal(score[0], winner, 'score and final_score')
  assert.equal(await ask(judge, 'final_score'), result)

  // A third process is brought to the same position as Sabaki does it: in capitals, without waiting in between.
  // Then two moves back, and forward again.
  const moves = await ask(player, 'moves')
  const history = [...player.state.history]
  assert.equal(history.length, count)
  const copy = start(variant)
  await copy.sync({...settings, history})
  assert.equal(await ask(copy, 'position'), end)
  assert.equal(await ask(copy, 'moves'), moves)
  await copy.sync({history: history.slice(0, -2)})
  assert.equal(await ask(copy, 'position'), positions[count - 2])
  await copy.sync({history})
  assert.equal(await ask(copy, 'position'), end)
  await stop(copy)

  // After the end both pass, as long as they are asked. Each pass is a play, which can be taken back.
  for (const color of ['b', 'w']) {
    assert.equal(await ask(player, 'genmove', color), 'pass')
    await ask(player, 'play', color, 'pass')
  }
  assert.equal(await ask(player, 'position'), end)
  for (let passes = 0; passes < 4; passes++) await ask(player, 'undo')
  assert.equal(await ask(player, 'position'), end)

  for (const position of positions.slice(0, -1).reverse()) {
    await ask(player, 'undo')
    assert.equal(await ask(player, 'position'), position, 'undo')
  }
  await refuses(player, 'cannot undo', 'undo')

  await stop(player)
  await stop(judge)
  console.log(`${becomes}: ${count} moves, ${result}`)
}

// What does not depend on the game.
async function converse() {
  const engine = start('invector:5x4')
  const {controller} = engine

  assert.deepEqual(await controller.sendCommand({id: 7, name: 'protocol_version'}), {
    id: 7,
    content: '2',
    error: false,
  })

  // An answer of several lines comes line by line, and whole at the end.
  const lines = []
  const listed = await controller.sendCommand({name: 'list_commands'}, ({line, end}) => {
    lines.push(line)
    assert.equal(end, line === '')
  })
  const commands = listed.content.split('\n')
  assert.deepEqual(lines, [`= ${commands[0]}`, ...commands.slice(1), ''])
  for (const command of commands) {
    assert(await engine.knowsCommand(command))
    assert.equal(await ask(engine, 'known_command', command), 'true')
  }
  assert.equal(await ask(engine, 'known_command', 'loadsgf'), 'false')
  const diagram = await ask(engine, 'showboard')
  assert.equal(diagram.split('\n').length, 7, diagram)

  // Errors change nothing.
  const before = await ask(engine, 'position')
  await refuses(engine, 'unknown command', 'loadsgf', 'game.sgf')
  await refuses(engine, 'syntax error', 'play')
  await refuses(engine, 'illegal move', 'play', 'b', 'a1a4')
  await refuses(engine, 'unacceptable size', 'boardsize', '6')
  // A komi that the game does not have is ignored.
  await engine.sync({komi: 6.5})
  await assert.rejects(engine.sync({boardsize: [6, 6]}), /Board size is not supported/)
  assert.equal(await ask(engine, 'position'), before)
  await assert.rejects(
    engine.sync({history: [{name: 'play', args: ['B', 'A1A4']}]}),
    /History cannot be replayed/
  )

  // Commands that are sent before the first of them is answered.
  const received = []
  controller.on('response-received', ({response}) => received.push(response.id))
  const sent = [
    'clear_board',
    'set Nodes 50',
    'genmove b',
    'legal',
    'nonsense',
    'play b c3c4',
    'genmove w',
    'undo',
    'undo',
    'position',
  ]
  const answers = await Promise.all(
    sent.map((command, i) => {
      const [name, ...args] = words(command)
      return controller.sendCommand({id: 100 + i, name, args})
    })
  )
  const ids = sent.map((_, i) => 100 + i)
  assert.deepEqual(received, ids)
  assert.deepEqual(answers.map(({id}) => id), ids)
  const errors = sent.filter((_, i) => answers[i].error)
  assert.deepEqual(errors, ['nonsense', 'play b c3c4'])
  assert.equal(answers[answers.length - 1].content, before)
  await stop(engine)

  // The end of the input ends the process. The answer is waited for, as the library drops what it has not read when
  // the process is gone.
  const ended = start('markane:3x3')
  assert.equal(await ask(ended, 'name'), 'pentalith')
  ended.controller.process.stdin.end()
  assert.equal(await ended.stopped, 0, 'exit code at the end of the input')

  // A search of an hour does not keep the library from ending the process.
  const searching = start('markane')
  await ask(searching, 'time', '3600000')
  const move = assert.rejects(ask(searching, 'genmove', 'b'), /output has stopped/)
  await searching.controller.kill()
  await move
  console.log('conversation: ids, lines, errors, commands in advance, end of input, kill')
}

// What to name where something goes wrong.
let now = 'sabaki.mjs'

async function main() {
  assert(program, 'usage: node sabaki.mjs PROGRAM')
  for (const game of GAMES) {
    now = game.becomes
    await play(game)
  }
  now = 'conversation'
  await converse()
}

main().catch(error => {
  console.error(`${now}: ${error.stack}`)
  // The engines end with their input.
  process.exit(1)
})
