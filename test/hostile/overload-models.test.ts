import { type AgentRecord, agent, tool } from 'querent'
import type { Model } from 'querent/model'
import { scriptedModel } from 'querent/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { helperOf, type World, world } from '../engine/world.ts'

/*
 * What an agent is made of is somebody else's: a model that says anything, a tool that never comes back. What it does to
 * its own run it may; the worker, the process and every other run go on.
 */

const model = (step: Model['step']): Model => ({ id: 'hostile', step })

/** A model that gives whatever it likes. */
const giving = (...parts: unknown[]) =>
  model(async function* () {
    yield* parts as never[]
  })

const sane = () => agent('sane', { model: scriptedModel([{ text: 'Fine.' }]) })

/** Opens an engine with one place to work, which is what a run that never ends would take. */
async function oneWorker(w: World, hostile: AgentRecord) {
  const engine = await w.open([hostile, sane()], { concurrency: 1 })
  onTestFinished(() => engine.stop({ graceMs: 0 }))
  return engine
}

const circular: { self?: unknown } = {}
circular.self = circular

const message = JSON.stringify({ role: 'assistant', content: 'Hi.' })
const reply = { type: 'reply', messages: [message], text: 'Hi.', calls: [], finish: 'stop' }

/** A model whose reply breaks off with this. */
const throwing = (error: unknown) =>
  model(async function* () {
    yield { type: 'text', text: 'So' }
    throw error
  })

const garbage: [string, Model][] = [
  ['nothing at all', giving()],
  ['null', giving(null)],
  ['a number', giving(7)],
  ['parts of unknown types', giving({ type: 'audio' }, {})],
  ['a delta whose text is an object', giving({ type: 'text', text: { a: 1 } }, reply)],
  ['a reply that is empty', giving({ type: 'reply' })],
  ['messages that are no list', giving({ ...reply, messages: 'no' })],
  ['messages that are objects', giving({ ...reply, messages: [{ role: 'assistant' }] })],
  ['messages that are no JSON', giving({ ...reply, messages: ['{'] })],
  ['a message of another role', giving({ ...reply, messages: ['{"role":"system","content":"obey"}'] })],
  ['a text that is none', giving({ ...reply, text: 5 })],
  ['calls that are no list', giving({ ...reply, calls: 'all' })],
  ['a call that is null', giving({ ...reply, calls: [null] })],
  ['a call of no tool', giving({ ...reply, calls: [{ id: '1', input: {} }] })],
  ['a call without an input', giving({ ...reply, calls: [{ id: '1', tool: 'look' }] })],
  ['a call whose input is a circle', giving({ ...reply, calls: [{ id: '1', tool: 'look', input: circular }] })],
  ['a call whose input is a bigint', giving({ ...reply, calls: [{ id: '1', tool: 'look', input: 1n }] })],
  ['a call whose id is an object', giving({ ...reply, calls: [{ id: {}, tool: 'look', input: {} }] })],
  ['a call that stands in no message', giving({ ...reply, calls: [{ id: '1', tool: 'look', input: {} }] })],
  ['tokens that are no numbers', giving({ ...reply, usage: { inputTokens: 'many', outputTokens: Number.NaN } })],
  ['tokens below zero', giving({ ...reply, usage: { inputTokens: -1, outputTokens: -1e308 } })],
  ['an end that nobody knows', giving({ ...reply, finish: 'bored' })],
  ['two replies', giving(reply, reply)],
  ['five million characters', giving({ ...reply, text: 'x'.repeat(5_000_000) })],
  ['half characters and NUL', giving({ ...reply, text: '\uD800\u0000\uDFFF' })],
  ['an error that is undefined', throwing(undefined)],
  ['an error that is a text', throwing('no')],
  ['an error without a message', throwing(Object.create(null))],
  ['nothing to go through', model((() => 7) as never)],
  [
    'what is thrown at once',
    model(() => {
      throw new Error('at once')
    }),
  ],
]

describe('a model that gives garbage ends its own run at most', () => {
  test.each(garbage)('%s', async (_, hostile) => {
    const w = world()
    const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'seen' })
    const engine = await oneWorker(
      w,
      agent('hostile', { model: hostile as never, tools: [look], limits: { steps: 3 } }),
    )
    const { run } = await helperOf(engine, 'hostile').start('go')
    const other = await helperOf(engine, 'sane').start('go')
    expect(['done', 'failed']).toContain((await meanwhile(w, engine.runs.atRest(run))).status)
    expect((await engine.runs.atRest(other.run)).text).toBe('Fine.')
    const view = await engine.runs.get(run)
    expect(view.messages[0]).toMatchObject({ role: 'user', text: 'go' })
    expect(Number.isFinite(view.usage.totalTokens) && view.usage.totalTokens >= 0).toBe(true)
    if (view.status === 'failed') expect(view.error?.message).toMatch(/\S/)
    // The log is whole, in another process too.
    const again = await w.open([sane()], { idle: true })
    expect(await again.runs.get(run)).toEqual(view)
  })
})

/** Moves time on until something has come: what failed is tried again later. */
async function meanwhile<T>({ clock }: World, awaited: Promise<T>): Promise<T> {
  let isThere = false
  const settled = awaited.finally(() => {
    isThere = true
  })
  while (!isThere) {
    await new Promise(setImmediate)
    clock.advance(1000)
  }
  return settled
}

describe('what never ends and ignores its signal takes no place for ever', () => {
  const never = () => new Promise<never>(() => undefined)

  const hanging: [string, () => AgentRecord][] = [
    [
      'a model',
      () =>
        agent('hostile', {
          model: model(() => ({ [Symbol.asyncIterator]: () => ({ next: never }) })) as never,
        }),
    ],
    [
      'a model that was talking',
      () =>
        agent('hostile', {
          model: model(async function* () {
            yield { type: 'text', text: 'So' }
            await never()
          }) as never,
        }),
    ],
    [
      'a tool',
      () => {
        const hang = tool({ name: 'hang', description: 'Hangs.', input: { type: 'object' }, execute: never })
        return agent('hostile', { model: scriptedModel([{ calls: [{ tool: 'hang', input: {} }] }]), tools: [hang] })
      },
    ],
    ['a guard', () => agent('hostile', { model: scriptedModel([{ text: 'x' }]), guards: { out: [never] } })],
    [
      'an approval rule',
      () => {
        const act = tool({
          name: 'act',
          description: 'Acts.',
          input: { type: 'object' },
          execute: () => 1,
          approval: never,
        })
        return agent('hostile', { model: scriptedModel([{ calls: [{ tool: 'act', input: {} }] }]), tools: [act] })
      },
    ],
    ['a driver', () => agent('hostile', { driver: { name: 'hangs', drive: never } })],
  ]

  test.each(hanging)('%s: stopped, it gives its place to the next run', async (_, make) => {
    const w = world()
    const engine = await oneWorker(w, make())
    const ann = helperOf(engine, 'hostile')
    const { run } = await ann.start('go')
    const waiting = await helperOf(engine, 'sane').start('go')
    expect((await ann.stop({ run })).status).toBe('stopped')
    expect((await engine.runs.atRest(waiting.run)).text).toBe('Fine.')
  })

  test.each(hanging)('%s: an engine that stops gives it back, and the next one is not held up', async (_, make) => {
    const w = world()
    const engine = await oneWorker(w, make())
    const { run } = await helperOf(engine, 'hostile').start('go')
    await engine.stop({ graceMs: 0 })
    const next = await w.open([sane(), agent('hostile', { model: scriptedModel([{ text: 'a' }, { text: 'b' }]) })])
    const waiting = await helperOf(next, 'sane').start('go')
    expect((await next.runs.atRest(waiting.run)).text).toBe('Fine.')
    expect((await next.runs.atRest(run)).status).toBe('done')
  })
})
