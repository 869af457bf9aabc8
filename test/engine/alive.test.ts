import { expect, test } from 'vitest'
import { Workplace } from '../cli/workplace.ts'

const config = `
import { agent, createEngine } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'
const model = scriptedModel([{ calls: [{ tool: 'question', input: { question: 'Well?' } }] }, { text: 'Done.' }])
export const asker = agent('asker', { model, questions: true })
export const open = (agents) => createEngine({ agents, store: sqlite('alive.db') })
`

test('a process that works, or waits for another to answer, stays alive; one that closed its engine ends', async () => {
  const place = new Workplace()
  place.install('querent')
  place.write('setup.ts', config)
  // The worker does nothing but start: without work, without a server, it must not end.
  const worker = place.write(
    'worker.ts',
    `import { asker, open } from './setup.ts'\nawait open([asker]).start()\nconsole.log('up')\n`,
  )
  const waiter = place.write(
    'waiter.ts',
    `import { open } from './setup.ts'
const engine = open([])
const ann = engine.as({ id: 'ann' }).agent('asker')
const run = process.argv[2] ?? ''
console.log((await ann.atRest(run)).asks.length)
await ann.approve({ run, step: 'question 1.1', data: 'yes' })
console.log((await ann.atRest(run)).text)
await engine.close()
`,
  )
  const starter = place.write(
    'starter.ts',
    `import { asker, open } from './setup.ts'
const engine = open([asker])
console.log((await engine.as({ id: 'ann' }).agent('asker').start('go')).run)
await engine.close()
`,
  )
  const started = await place.node([starter])
  expect(started).toMatchObject({ code: 0, stderr: '' })
  const run = started.stdout.trim()
  const waiting = place.node([waiter, run])
  const working = place.spawn([process.execPath, '--conditions=querent-source', worker])
  expect(await waiting).toEqual({ code: 0, stdout: '1\nDone.\n', stderr: '' })
  expect(working.exitCode).toBe(null)
})
