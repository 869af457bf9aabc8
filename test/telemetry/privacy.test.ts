import { createEngine, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { expect, test } from 'vitest'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { observed } from './observed.ts'

/** Every text that somebody wrote in this run has this in it, so has who they are. */
const mark = 'zebra'

test('no text, input, answer, reason, error or person is told', async () => {
  const { path, clock } = world()
  const seen = observed(clock)
  const file = tool({
    name: 'file',
    description: `${mark} description`,
    input: { type: 'object' },
    approval: { editable: true },
    execute() {
      throw new Error(`${mark} error`)
    },
  })
  const turns = [
    { text: `${mark} thought`, calls: [ask({ question: `${mark} question?`, choices: [`${mark} choice`] })] },
    { calls: [{ tool: 'file', input: { for: mark } }, ask(`${mark} too?`)] },
    { text: `${mark} end` },
    { calls: [{ tool: `${mark}_tool`, input: {} }] },
    { error: { message: `${mark} of the provider`, retryable: false } },
  ]
  const { agents } = asker(turns, { tools: [file], instructions: `${mark} instructions` })
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const options = { agents, store: sqlite(path, { clock }), clock, logger, telemetry: seen.telemetry }
  const engine = createEngine(options)
  await engine.start()
  const ann = helperOf(engine, 'asker', `${mark}@example.org`)
  const { run } = await ann.start(`${mark} input`, { key: `${mark} key` })
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.1', data: `${mark} choice`, answerId: `${mark} answer` })
  await ann.atRest(run)
  await ann.approve({ run, step: 'tool 2.1', data: { input: { for: `${mark} person` } } })
  await ann.refuse({ run, step: 'question 2.2', reason: `${mark} reason` })
  await ann.atRest(run)
  await ann.say({ run, text: `${mark} message` })
  expect((await ann.atRest(run)).status).toBe('failed')
  await engine.close()
  const told = await seen.everything()
  expect(told).toContain('execute_tool file')
  expect(told).not.toContain(mark)
})
