import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ask } from 'querent'
import { expect, onTestFinished, test } from 'vitest'
import { kill, printed, Workplace } from '../cli/workplace.ts'
import { expectGrown } from '../providers/exchange.ts'
import { type ResponsesItem, start } from '../providers/servers/responses.ts'
import { responseOf } from './responses-json.ts'
import type { Command } from './run-process.ts'

const program = join(import.meta.dirname, 'run-process.ts')

const text = (said: string): ResponsesItem => ({ type: 'text', id: `msg_${said.length}`, text: said })
const call = (name: string, input: object, id: string): ResponsesItem => ({
  type: 'call',
  id: `fc_${id}`,
  callId: `call_${id}`,
  name,
  arguments: JSON.stringify(input),
})
const thought: ResponsesItem = { type: 'reasoning', id: 'rs_1', summary: ['Two are old.'], encrypted: 'E==ünï' }

async function scene(...answers: ResponsesItem[][]) {
  const server = await start()
  onTestFinished(() => server.close())
  server.script(...answers.map((items) => responseOf(...items)))
  const place = new Workplace()
  const effects = place.write('effects', '')
  return {
    server,
    effects: () => readFileSync(effects, 'utf8').split('\n').slice(0, -1),
    begin(command: Command) {
      const args = [server.url, join(place.folder, 'querent.db'), effects, JSON.stringify(command)]
      const child = place.spawn([process.execPath, '--conditions=querent-source', program, ...args])
      const said = printed(child, /^.*\n/).then(([line]) => JSON.parse(line) as Record<string, unknown>)
      // Who kills a process in the middle does not wait for it.
      said.catch(() => undefined)
      return { said, kill: () => kill(child) }
    },
  }
}

const stepsOf = (said: Record<string, unknown>) => (said.asks as Ask[]).map(({ kind, step }) => `${kind} at ${step}`)

test('parked, killed, answered by other processes, spoken to by one more: nothing is repeated, the prompt only grows', async () => {
  const { server, effects, begin } = await scene(
    [
      thought,
      text('I look.'),
      call('find', { id: 1 }, 'a'),
      call('delete', { id: 7 }, 'b'),
      call('delete', { id: 8 }, 'c'),
      call('question', { question: 'How sure?', shape: { type: 'integer', minimum: 1 } }, 'd'),
    ],
    [text('Seven is gone.')],
    [text('You are welcome.')],
  )
  const first = begin({ start: 'tidy up' })
  const parked = await first.said
  await first.kill()
  expect(stepsOf(parked)).toEqual(['approval at tool 1.1', 'approval at tool 1.2', 'question at question 1.3'])
  const run = parked.run as string

  const second = begin({ approve: { run, step: 'tool 1.1' } })
  expect(stepsOf(await second.said)).toHaveLength(2)
  await second.kill()
  const third = begin({ refuse: { run, step: 'tool 1.2', reason: 'keep it' } })
  expect(stepsOf(await third.said)).toEqual(['question at question 1.3'])
  await third.kill()
  expect(effects()).toEqual(['find 1'])
  expect(server.requests).toHaveLength(1)

  const fourth = begin({ approve: { run, step: 'question 1.3', data: 9 } })
  expect(await fourth.said).toMatchObject({ status: 'done', text: 'Seven is gone.', usage: { totalTokens: 36 } })
  await fourth.kill()
  const fifth = begin({ say: { run, text: 'thanks' } })
  expect(await fifth.said).toMatchObject({ status: 'done', text: 'You are welcome.', repeat: 2 })
  expect(effects()).toEqual(['find 1', 'delete 7'])

  const [one, two, three] = server.requests.map(({ body }) => body)
  expect(server.requests).toHaveLength(3)
  expectGrown(one, two, 'input')
  expectGrown(two, three, 'input')
  expect(two).toContain('E==ünï')
  const results = JSON.parse(two as string).input.filter(
    (item: { type: string }) => item.type === 'function_call_output',
  )
  expect(results.map((item: { call_id: string; output: unknown }) => [item.call_id, item.output])).toEqual([
    ['call_a', 'find done'],
    ['call_b', 'delete done'],
    ['call_c', 'The person refused this. Reason: keep it'],
    ['call_d', '9'],
  ])
})

test('killed while the model works, after a tool ran with leave: the same request is sent again, and nothing else', async () => {
  const { server, effects, begin } = await scene([call('delete', { id: 7 }, 'a')])
  server.script({ items: [text('Half a')], end: null, after: 'hang' }, responseOf(text('Gone.')))
  const first = begin({ start: 'tidy up' })
  const { run } = (await first.said) as { run: string }
  await first.kill()
  const second = begin({ approve: { run, step: 'tool 1.1' } })
  await server.arrived(2)
  await second.kill()
  expect(await begin('work').said).toMatchObject({ status: 'done', output: 'Gone.' })
  expect(effects()).toEqual(['delete 7'])
  const bodies = server.requests.map(({ body }) => body)
  expect(bodies).toHaveLength(3)
  expect(bodies[2]).toBe(bodies[1])
})

test('a provider that refuses fails the run, and says why', async () => {
  const { server, begin } = await scene()
  server.script({ status: 401, body: { error: { message: 'Incorrect API key provided.' } } })
  expect(await begin({ start: 'go' }).said).toMatchObject({
    status: 'failed',
    error: { code: 'T2005', message: 'The agent "Clerk" failed: 401 Incorrect API key provided.' },
  })
})
