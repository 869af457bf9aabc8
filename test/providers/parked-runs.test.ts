import { expect, onTestFinished, test } from 'vitest'
import { type Dialect, dialects, type Said } from './dialects.ts'
import { expectGrown } from './exchange.ts'
import { processesOf } from './processes.ts'
import type { ProviderServer } from './servers/sse-server.ts'

const question = { id: 'call_a', name: 'question', arguments: '{"question":"Which size?","choices":["S","M"]}' }
const lookUps = [
  { id: 'call_b', name: 'look_up', arguments: '{"q":"ünï"}' },
  { id: 'call_c', name: 'look_up', arguments: '{"q":"caps"}' },
]

async function serverOf(dialect: Dialect, ...script: Said[]): Promise<ProviderServer<Said>> {
  const server = await dialect.start()
  onTestFinished(() => server.close())
  server.script(...script)
  return server
}

const bodiesOf = (server: ProviderServer<Said>) => server.requests.map((request) => request.body)

/** Each request begins with the bytes of the one before; every call has its one result; no id stands twice. */
function expectOnePrompt(dialect: Dialect, bodies: string[]): void {
  for (const [index, body] of bodies.entries()) {
    if (index > 0) expectGrown(bodies[index - 1], body, dialect.list)
    const { calls, results } = dialect.read(body)
    expect(results).toEqual(calls)
    expect(new Set(calls).size).toBe(calls.length)
  }
}

test.each(dialects)(
  'C05 G9 parked, killed, answered in a second process, spoken to in a third: $name',
  async (dialect) => {
    const server = await serverOf(
      dialect,
      { reasoning: 'He is tall.', text: 'I will ask.', calls: [question, ...lookUps] },
      { reasoning: 'M fits.', text: 'Take M. ' },
      // Some providers number their calls from the start in every reply.
      { reasoning: 'And a cap?', calls: lookUps },
      { text: 'And a cap.' },
    )
    const processes = processesOf(dialect, server.url, 'result')
    const first = processes.run({ start: 'Which shirt do I wear?' })
    const parked = await first.atRest
    await first.kill()
    const { run } = parked
    expect(parked).toMatchObject({
      status: 'waiting',
      asks: [{ step: 'question 1.1', input: { choices: ['S', 'M'] } }],
    })

    const second = processes.run({ approve: { run, step: 'question 1.1', data: 'M' } })
    expect(await second.atRest).toMatchObject({ status: 'done', text: 'Take M. ' })
    await second.kill()

    const third = processes.run({ say: { run, text: 'And on the head?' } })
    expect(await third.atRest).toMatchObject({ status: 'done', text: 'And a cap.', repeat: 2 })

    const bodies = bodiesOf(server)
    expect(bodies).toHaveLength(4)
    expectOnePrompt(dialect, bodies)
    const [, answered, , last] = bodies
    expect(dialect.read(answered ?? '').calls).toEqual(['call_a', 'call_b', 'call_c'])
    expect(dialect.read(answered ?? '').tools.map((tool) => tool.name)).toEqual(['look_up', 'question'])
    for (const said of ['He is tall.', 'M fits.', 'And a cap?'])
      for (const proof of dialect.proofOf(said)) expect(last).toContain(proof)
    for (const result of ['found ünï', 'found caps']) expect(last?.split(result)).toHaveLength(3)
    if (dialect.name === 'responses')
      for (const body of bodies) expect(JSON.parse(body)).toMatchObject({ store: false })
  },
)

test.each(dialects)('G9 an answer that comes as a message: $name', async (dialect) => {
  const server = await serverOf(
    dialect,
    { reasoning: 'He is tall.', text: 'I will ask.', calls: [question, ...lookUps] },
    { text: 'Take M.' },
    { text: 'And a cap.' },
  )
  const processes = processesOf(dialect, server.url, 'message')
  const first = processes.run({ start: 'Which shirt do I wear?' })
  const { run } = await first.atRest
  await first.kill()
  const second = processes.run({ approve: { run, step: 'question 1.1', data: 'M' } })
  expect(await second.atRest).toMatchObject({ status: 'done', text: 'Take M.' })
  await second.kill()
  const third = processes.run({ say: { run, text: 'And on the head?' } })
  expect(await third.atRest).toMatchObject({ status: 'done', text: 'And a cap.' })
  expect(server.requests).toHaveLength(3)
  expectOnePrompt(dialect, bodiesOf(server))
  expect(server.requests[1]?.body).toContain('The answer will follow as a message.')
})

test.each(dialects)('G4 killed while the model was talking: the same bytes are sent again: $name', async (dialect) => {
  const server = await serverOf(
    dialect,
    { text: 'Half a sent', end: 'nothing', after: 'hang' },
    { text: 'A whole sentence.' },
  )
  const processes = processesOf(dialect, server.url, 'result')
  const first = processes.run({ start: 'Which shirt do I wear?' })
  await server.arrived(1)
  await first.kill()
  expect(await processes.run('work').atRest).toMatchObject({ status: 'done', text: 'A whole sentence.' })
  const [before, after] = bodiesOf(server)
  expect(after).toBe(before)
})
