import { type AgentRecord, agent, code, type Person } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { world } from '../engine/world.ts'
import { serve } from './served.ts'

const secret = 'a secret of at least thirty-two characters'

const agentWith = (name: string, options: object): AgentRecord =>
  agent(name, { model: scriptedModel([]), ...options }) as AgentRecord

/** One agent of each kind of access. */
const agents = [
  agentWith('shop', { access: 'everyone', description: ' Sells you a T-shirt. ' }),
  agentWith('helper', {}),
  agentWith('inner', { access: 'system' }),
  agentWith('picky', { access: async ({ id }: Person) => id === 'ann' }),
]

const shop = { name: 'shop', description: 'Sells you a T-shirt.' }

describe('the agents that somebody may start', () => {
  test.each([
    ['ann', [shop, { name: 'helper' }, { name: 'picky' }]],
    ['bob', [shop, { name: 'helper' }]],
  ])('of %s: over HTTP, by the client and in process alike', async (person, expected) => {
    const { open } = world()
    const engine = await open(agents, { idle: true })
    const served = await serve(engine, { secret })
    expect(await served.ask('/api/agents', { as: person })).toMatchObject({ status: 200, body: { items: expected } })
    expect(await served.client(person).agents()).toEqual(expected)
    expect(await engine.as({ id: person }).agents()).toEqual(expected)
  })

  test('of nobody, and of an anonymous person: those that are there for everyone', async () => {
    const { open } = world()
    const served = await serve(await open(agents, { idle: true }), { secret })
    expect((await served.ask('/api/agents')).body).toEqual({ items: [shop] })
    const { headers } = await served.ask('/api/agents/shop/runs', { body: { input: 'hi' } })
    const cookie = String(headers.get('set-cookie')).split(';')[0] as string
    expect((await served.ask('/api/agents', { headers: { cookie } })).body).toEqual({ items: [shop] })
  })

  test('are the ones that they can start, and no others', async () => {
    const { open } = world()
    const served = await serve(await open(agents, { idle: true }), { secret })
    for (const as of ['ann', 'bob', undefined]) {
      const who = as === undefined ? {} : { as }
      const { items } = (await served.ask('/api/agents', who)).body as { items: { name: string }[] }
      const listed = items.map(({ name }) => name)
      for (const { name } of agents) {
        const { status } = await served.ask(`/api/agents/${name}/runs`, { ...who, body: { input: 'hi' } })
        expect(status === 201, `${as} ${name}`).toBe(listed.includes(name))
      }
    }
  })

  test('are none in a process that only answers', async () => {
    const { open } = world()
    const engine = await open([], { idle: true })
    expect(await engine.as({ id: 'ann' }).agents()).toEqual([])
  })
})

test.each([[''], ['  '], ['x'.repeat(501)], [5]])('a description of %j is T1001', (description) => {
  expect(() => agent('a', { model: scriptedModel([]), description: description as string })).toThrow(
    expect.objectContaining({ code: code.T1001 }),
  )
})
