import { metrics, trace } from '@opentelemetry/api'
import { createEngine, type EngineOptions, type RunEvent } from 'querent'
import { sqlite } from 'querent/sqlite'
import { openTelemetry } from 'querent/telemetry'
import { expect, onTestFinished, test } from 'vitest'
import { ask, asker, ended, helperOf, refusal, world } from '../engine/world.ts'
import { observed } from './observed.ts'

const turns = [{ calls: [ask('Size?')] }, { text: 'Ordered.' }]

/** A store that notes which of its methods are called. */
function noting(store: EngineOptions['store']) {
  const called = new Set<string>()
  const noted = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      called.add(String(name))
      return value.bind(target)
    },
  })
  return { store: noted, called }
}

/** One run from its start to its end, over an answer, and the log. */
async function cycle(options: Partial<EngineOptions>): Promise<{ called: Set<string>; log: RunEvent[] }> {
  const { path, clock } = world()
  const { store, called } = noting(sqlite(path, { clock }))
  const engine = createEngine({ agents: asker(turns).agents, store, clock, ...options })
  await engine.start()
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('I need a T-shirt')
  await ann.atRest(run)
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect((await ended(ann, run)).text).toBe('Ordered.')
  const log = await engine.runs.log(run)
  await engine.close()
  return { called, log }
}

test('without telemetry nothing is traced, kept or read for it, though a provider is registered', async () => {
  const seen = observed()
  trace.setGlobalTracerProvider({ getTracer: () => seen.tracer })
  onTestFinished(() => {
    trace.disable()
    metrics.disable()
  })
  const { called, log } = await cycle({})
  expect(seen.spans()).toEqual([])
  expect(JSON.stringify(log)).not.toContain('"trace"')
  expect(called).not.toContain('getAsk')
  expect(called).not.toContain('countWork')
  // What the test would see if it were on.
  const on = await cycle({ telemetry: openTelemetry() })
  expect(seen.spans().length).toBeGreaterThan(0)
  expect(JSON.stringify(on.log)).toContain('"trace"')
  expect(on.called).toContain('getAsk')
})

test('with the API alone, and no SDK, runs go on as ever and the log names no trace', async () => {
  const { log } = await cycle({ telemetry: openTelemetry() })
  expect(JSON.stringify(log)).not.toContain('"trace"')
})

test('an SDK that is registered after the engine was made still traces', async () => {
  const telemetry = openTelemetry()
  const seen = observed()
  trace.setGlobalTracerProvider({ getTracer: () => seen.tracer })
  onTestFinished(() => trace.disable())
  await cycle({ telemetry })
  expect(seen.spans('invoke_agent asker')).toHaveLength(2)
})

test('what is no telemetry is refused', async () => {
  const { path } = world()
  const made = (telemetry: unknown) => async () =>
    createEngine({ agents: [], store: sqlite(path), telemetry: telemetry as never })
  for (const wrong of [null, {}, openTelemetry, 'on']) {
    expect(await refusal(made(wrong)())).toMatchObject({ code: 'T1003' })
  }
})
