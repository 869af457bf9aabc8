import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Ask, code, type Json, type RunEvent, tool } from 'querent'
import { type ScriptedPrompt, wellFormed } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, asker, ended, helperOf, refusal, resultsIn, type World, world } from './engine/world.ts'

/*
 * The in-process side of docs/guarantees.md, one block for each promise. What holds when a process dies is proved by
 * test/engine/death.test.ts at every transition of a simulated process, by test/crash/ with real ones and SIGKILL.
 */

const interrupted = 'Interrupted before its result was recorded. It may or may not have happened.'

const settledIn = (log: RunEvent[]) => log.filter((event) => event.type === 'ask.settled')

/** A run of Ann that waits for an answer. */
async function parked({ open }: World, turns = [{ calls: [ask('Size?')] }, { text: 'ok' }]) {
  const played = asker(turns)
  const engine = await open(played.agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  const view = await ann.atRest(run)
  return { engine, ann, run, view, ...played }
}

describe('G1: an accepted answer is never lost', () => {
  test('approve and refuse resolve only when the answer is stored, whatever becomes of the process then', async () => {
    const w = world()
    const { ann, run } = await parked(w, [{ calls: [ask('Size?'), ask('Colour?')] }, { text: 'ok' }])
    const page = await w.open([], { idle: true })
    await helperOf(page, 'asker').approve({ run, step: 'question 1.1', data: 'M' })
    await helperOf(page, 'asker').refuse({ run, step: 'question 1.2', reason: 'any' })
    await w.kill(page)
    expect((await ended(ann, run)).messages.flatMap((line) => (line.role === 'ask' ? [line.end] : []))).toMatchObject([
      { outcome: 'approved', data: 'M' },
      { outcome: 'refused', reason: 'any' },
    ])
  })

  test('an answer that came just before a stop or a failure stands in the log', async () => {
    const w = world()
    const { engine, ann, run } = await parked(w, [{ calls: [ask('Size?'), ask('Colour?')] }, { text: 'ok' }])
    await engine.stop()
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.stop({ run })
    expect(settledIn(await engine.runs.log(run)).map(({ data }) => data)).toMatchObject([
      { outcome: 'approved', data: 'M' },
      { outcome: 'withdrawn' },
    ])
  })
})

describe('G2: an ask is settled at most once, from any number of processes', () => {
  test('three processes, answers and refusals at once: every other try is told', async () => {
    const w = world()
    const { engine, run, view } = await parked(w, [{ calls: [ask('A?'), ask('B?'), ask('C?')] }, { text: 'ok' }])
    const pages = [engine, await w.open([], { idle: true }), await w.open([], { idle: true })]
    const tries = view.asks.flatMap((each) =>
      pages.flatMap((page, index) => [
        () => helperOf(page, 'asker').approve(each, { data: `answer ${index}` }),
        () => helperOf(page, 'asker').refuse(each, { reason: `reason ${index}` }),
      ]),
    )
    const told = await Promise.all(
      tries.map((attempt) =>
        attempt().then(
          () => 'settled',
          (error) => error.code,
        ),
      ),
    )
    expect(told.filter((each) => each === 'settled')).toHaveLength(3)
    expect(told.filter((each) => each === code.T0003)).toHaveLength(tries.length - 3)
    await ended(helperOf(engine, 'asker'), run)
    expect(settledIn(await engine.runs.log(run))).toHaveLength(3)
  })
})

describe('G3: a bad answer never reaches the run and never costs a token', () => {
  test('answers that do not fit what was asked, or are too large or deep', async () => {
    const bad: [Json, (Json | undefined)[]][] = [
      [{ question: 'Size?' }, ['', '  ', 7, null, ['M'], undefined]],
      [{ question: 'Size?', choices: ['S', 'M'] }, ['XL', 's', ['S'], null, undefined]],
      [{ question: 'Size?', choices: ['S', 'M'], multi: true }, [[], ['S', 'S'], ['XL'], 'S', undefined]],
      [{ question: 'Size?', choices: ['S'], other: true }, [{ selected: ['S'], other: 'x' }, { other: ' ' }, {}]],
      [{ question: 'Age?', shape: { type: 'integer' } }, ['3', 1.5, true, null, undefined]],
    ]
    const { open } = world()
    const { model, agents } = asker([{ calls: bad.map(([input]) => ({ tool: 'question', input })) }, { text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const { run } = await ann.start('go')
    const before = await ann.atRest(run)
    const log = await engine.runs.log(run)
    for (const [index, [, answers]] of bad.entries()) {
      const step = `question 1.${index + 1}`
      const deep = JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)
      for (const data of [...answers, 'x'.repeat(300 * 1024), deep])
        expect(
          await refusal(ann.approve({ run, step }, data === undefined ? {} : { data })),
          `${step} ${data}`.slice(0, 60),
        ).toMatchObject({
          code: code.T0002,
          data: { issues: [{ path: expect.any(String), message: expect.any(String) }] },
        })
    }
    expect(await ann.run(run)).toEqual(before)
    expect(await engine.runs.log(run)).toEqual(log)
    expect(model.calls).toBe(1)
  })
})

describe('G4: a settled ask resumes its run once', () => {
  test('three workers, and twenty answers at once from a fourth process', async () => {
    const { open } = world()
    const turns = [{ calls: [ask('Size?')] }, { text: 'ok' }]
    const workers = [asker(turns), asker(turns), asker(turns)]
    for (const { agents } of workers) await open(agents)
    const page = await open(asker(turns).agents, { idle: true })
    const ann = helperOf(page, 'asker')
    const runs = await Promise.all(Array.from({ length: 20 }, () => ann.start('go')))
    for (const { run } of runs) await ann.atRest(run)
    await Promise.all(runs.map(({ run }) => ann.approve({ run, step: 'question 1.1', data: 'M' })))
    for (const { run } of runs) expect((await ended(ann, run)).status).toBe('done')
    expect(workers.reduce((sum, { model }) => sum + model.calls, 0)).toBe(40)
  })
})

describe('G5: a worker that lost its claim writes nothing', () => {
  test('paused for longer than its claim holds, its work is aborted and its result dropped', async () => {
    const { open, clock } = world()
    const begun = Promise.withResolvers<AbortSignal>()
    const late = Promise.withResolvers<string>()
    const work = (execute: (signal: AbortSignal) => unknown) =>
      tool({
        name: 'work',
        description: '',
        input: { type: 'object' },
        replays: true,
        execute: (_, ctx) => execute(ctx.signal),
      })
    const turns = [{ calls: [{ tool: 'work', input: {} }] }, { text: 'ok' }]
    const slow = work((signal) => {
      begun.resolve(signal)
      return late.promise
    })
    let frozen: Promise<void> | undefined
    const thaw = Promise.withResolvers<void>()
    const first = await open(asker(turns, { tools: [slow] }).agents, { atPoint: () => frozen })
    const { run } = await helperOf(first, 'asker').start('go')
    const signal = await begun.promise
    // As a process that is paused, or cut off from its disk, for longer than its claim holds.
    frozen = thaw.promise
    clock.advance(11_000)
    const second = await open(asker(turns, { tools: [work(() => 'made by the second')] }).agents)
    const atRest = helperOf(second, 'asker').atRest(run)
    let isAtRest = false
    void atRest.then(() => {
      isAtRest = true
    })
    // A server under load may refuse the first look; a worker looks again every two seconds.
    for (let turns = 1; !isAtRest; turns++) {
      await new Promise(setImmediate)
      if (turns % 5_000 === 0) clock.advance(2_001)
    }
    expect((await atRest).status).toBe('done')
    const log = await second.runs.log(run)
    expect(signal.aborted).toBe(false)

    late.resolve('made by the first')
    thaw.resolve()
    await first.stop()
    expect(signal.aborted).toBe(true)
    expect(await second.runs.log(run)).toEqual(log)
    const results = log.flatMap((event) => (event.type === 'tool.returned' ? [event.data.result.value] : []))
    expect(results).toEqual(['made by the second'])
    expect(await helperOf(second, 'asker').run(run)).toMatchObject({ status: 'done' })
  })
})

describe('G6: a tool that is neither retrySafe nor replays is never started twice', () => {
  test('over two deaths: each call was started once, and the model hears that nobody knows', async () => {
    const { open, kill } = world()
    let starts = 0
    let begun = Promise.withResolvers<void>()
    const charge = tool({
      name: 'charge',
      description: 'charges',
      input: { type: 'object' },
      execute: () => {
        starts++
        begun.resolve()
        return new Promise(() => undefined)
      },
    })
    const charging = { calls: [{ tool: 'charge', input: {} }] }
    const play = () => asker([charging, charging, { text: 'I give up.' }], { tools: [charge] })
    const first = await open(play().agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await begun.promise
    await kill(first)
    begun = Promise.withResolvers()
    const second = await open(play().agents)
    await begun.promise
    expect(starts).toBe(2)
    await kill(second)
    const { model, agents } = play()
    const third = await open(agents)
    expect((await helperOf(third, 'asker').atRest(run)).text).toBe('I give up.')
    // Two calls that the model made, each started once.
    expect(starts).toBe(2)
    expect(resultsIn(model.prompts[0]).map(({ value }) => value)).toEqual([interrupted])
    expect(JSON.stringify(model.prompts[0]).split(interrupted)).toHaveLength(3)
  })
})

/** What connects a process to others. Timers are counted on the clock, file reads come and go by themselves. */
const handles = () =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /Socket|Pipe|Process|Server|FSEvent|MessagePort/.test(name))
    .sort()

describe('G7: a parked run costs nothing', () => {
  test('no timer, no handle, no token, for as long as it waits', async () => {
    const { open, clock } = world()
    const { model, agents } = asker([{ calls: [ask('Size?')] }, { text: 'ok' }])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    const park = async () => ann.atRest((await ann.start('go')).run)
    // Once before, so that a pool of connections has what it needs.
    const parkMany = () => Promise.all(Array.from({ length: 100 }, park))
    await parkMany()
    const before = handles()
    await parkMany()
    // The engine's own: to look for dead workers, and to renew claims.
    expect(clock.timers).toBeLessThanOrEqual(2)
    expect(handles().length).toBeLessThanOrEqual(before.length)
    for (let year = 0; year < 10; year++) clock.advance(365 * 86_400_000)
    expect(model.calls).toBe(200)
    expect((await engine.runs.list({ status: 'waiting', limit: 200 })).items).toHaveLength(200)
    await engine.stop()
    expect(clock.timers).toBe(0)
  })

  test('no memory: what worked on it is gone', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const { open } = world()
    const refs: WeakRef<AbortSignal>[] = []
    const { agents } = asker([
      ({ signal }) => {
        refs.push(new WeakRef(signal))
        return { calls: [ask('Size?')] }
      },
    ])
    const engine = await open(agents)
    const ann = helperOf(engine, 'asker')
    for (let index = 0; index < 20; index++) await ann.atRest((await ann.start('go')).run)
    // A stop waits for all that still runs, so that nothing here is merely late.
    await engine.stop()
    await engine.start()
    for (let times = 0; times < 5; times++) {
      await ann.working()
      collect()
    }
    expect(refs).toHaveLength(20)
    // The last may still stand in a register or on the stack of the engine's JavaScript machine.
    expect(refs.filter((ref) => ref.deref() !== undefined).length).toBeLessThanOrEqual(1)
  })
})

describe('G9: the prompt only grows', () => {
  const grows = (prompts: ScriptedPrompt[]) => {
    for (const [index, next] of prompts.slice(1).entries()) {
      const before = JSON.stringify(prompts[index]?.messages).slice(0, -1)
      expect(JSON.stringify(next.messages).startsWith(before)).toBe(true)
    }
    for (const { messages } of prompts) expect(wellFormed(messages)).toEqual([])
  }

  const said = {
    text: 'Hm, "quoted" \u2028 ünïcode',
    reasoning: { text: 'why', providerOptions: { x: { signature: 'S' } } },
  }
  const turns = [
    {
      ...said,
      calls: [
        { ...ask('One?'), id: '0' },
        { tool: 'none', input: { b: 1, a: [{ z: 1, y: 2 }] }, id: '0' },
      ],
    },
    { text: 'bad word' },
    { calls: [{ ...ask({ question: 'Two?', shape: { type: 'object' } }), id: '0' }] },
    { text: 'Done.', calls: [] },
    { calls: [ask('Three?'), ask('')] },
    { calls: [ask('Four?')] },
    { text: 'The end.' },
  ]
  const play = (instructions = 'Ask.') =>
    asker(turns, { instructions, guards: { out: [(text: string) => !text.includes('bad') || { refuse: 'bad' }] } })

  test('over answers, refusals, guards, messages, stops and processes', async () => {
    const { open, kill, close } = world()
    const prompts: ScriptedPrompt[] = []
    let played = play()
    let engine = await open(played.agents)
    const next = async (end: World['kill']) => {
      prompts.push(...played.model.prompts)
      await end(engine)
      played = play()
      engine = await open(played.agents)
    }
    const { run } = await helperOf(engine, 'asker').start('go')
    const ann = () => helperOf(engine, 'asker')
    await ann().atRest(run)
    await next(kill)
    await ann().refuse({ run, step: 'question 1.1', reason: 'no' })
    await ann().atRest(run)
    await next(close)
    await ann().approve({ run, step: 'question 3.1', data: { z: 1, a: { y: 2, b: [1.5, 1e21] } } })
    await ann().atRest(run)
    await next(kill)
    await ann().say({ run, text: 'more' })
    await ann().atRest(run)
    await ann().say({ run, text: 'instead' })
    await ann().atRest(run)
    await next(close)
    await ann().stop({ run })
    await ann().say({ run, text: 'after all' })
    expect(await ann().atRest(run)).toMatchObject({ status: 'done', text: 'The end.' })
    prompts.push(...played.model.prompts)
    expect(prompts).toHaveLength(7)
    grows(prompts)
    const told = new Set(prompts.map(({ instructions, tools }) => JSON.stringify([instructions, tools])))
    expect(told.size).toBe(1)
  })

  test('a deploy that changes the definition is a new prefix, once; the messages still only grow', async () => {
    const { open, close } = world()
    const before = play()
    const first = await open(before.agents)
    const { run } = await helperOf(first, 'asker').start('go')
    await helperOf(first, 'asker').atRest(run)
    await close(first)
    const after = play('Ask more.')
    const second = await open(after.agents)
    await helperOf(second, 'asker').approve({ run, step: 'question 1.1', data: 'x' })
    await helperOf(second, 'asker').atRest(run)
    await helperOf(second, 'asker').approve({ run, step: 'question 3.1', data: {} })
    await helperOf(second, 'asker').atRest(run)
    const prompts = [...before.model.prompts, ...after.model.prompts]
    grows(prompts)
    expect(prompts.map(({ instructions }) => instructions)).toEqual(['Ask.', 'Ask more.', 'Ask more.', 'Ask more.'])
    const changes = (await second.runs.log(run)).filter(
      (event) => event.type === 'model.replied' && event.data.fingerprint,
    )
    expect(changes.map(({ data }) => (data as { turn: number }).turn)).toEqual([2])
  })
})

describe('G10: no other person reads or answers a run', () => {
  test('it does not exist for them; the operator reads it, and answers only what the system started', async () => {
    const w = world()
    const { engine, run, view } = await parked(w)
    const bob = helperOf(engine, 'asker', 'bob')
    const at = { run, step: 'question 1.1' }
    const tries = [
      () => bob.run(run),
      () => bob.atRest(run),
      () => bob.watch(run)[Symbol.asyncIterator]().next(),
      () => bob.approve({ ...at, data: 'M' }),
      () => bob.approve(view.asks[0] as Ask, { data: 'M' }),
      () => bob.refuse(at),
      () => bob.say({ run, text: 'hi' }),
      () => bob.stop({ run }),
    ]
    for (const attempt of tries) expect(await refusal(attempt())).toMatchObject({ code: code.T0001 })
    expect([await bob.working(), await engine.as({ id: 'bob' }).asks()]).toEqual([[], []])
    expect(await engine.runs.get(run)).toEqual(view)
    for (const attempt of [() => engine.runs.approve({ ...at, data: 'M' }), () => engine.runs.refuse(at)])
      expect(await refusal(attempt())).toMatchObject({ code: code.T3101 })
    expect(await engine.runs.get(run)).toEqual(view)
  })
})
