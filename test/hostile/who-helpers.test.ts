import { agent, code, type Engine, type Helper, type PersonHandle, QuerentError, type Runs } from 'querent'
import { scriptedModel } from 'querent/testing'
import { describe, expect, test } from 'vitest'
import { ask, world } from '../engine/world.ts'

/*
 * Every method that a person's handle, their helper and the backend have, and what comes of it for each who may call. A
 * method that is added has no row here, and then neither the types nor the tests of the rows hold.
 */

interface Ids {
  run: string
  ask: string
}

/** Ann's run and the system's, parked on the same question; a process with the agent and one that has another. */
async function scene() {
  const { open } = world()
  const turns = [{ calls: [ask('Which size?')] }, { text: 'Thanks.' }]
  const engine = await open([agent('asker', { questions: true, model: scriptedModel(turns) })])
  const elsewhere = await open([agent('another', { model: scriptedModel([]) })], { idle: true })
  const idsOf = async ({ run }: { run: string }): Promise<Ids> => {
    const [asked] = (await engine.runs.atRest(run)).asks
    return { run, ask: String(asked?.id) }
  }
  const anns = await idsOf(await engine.as({ id: 'ann' }).agent('asker').start('go'))
  const systems = await idsOf(await engine.runs.start('asker', { input: 'go' }))
  const logs = () => Promise.all([anns, systems].map(({ run }) => engine.runs.log(run)))
  return { engine, elsewhere, anns, systems, logs }
}

/** `ok`, with nothing where that is what there was to see, or the code of the error. */
async function outcomeOf(act: () => unknown): Promise<string> {
  try {
    const value = (await act()) as { items?: unknown[] } | undefined
    const items = Array.isArray(value) ? value : value?.items
    return items?.length === 0 ? 'ok, none' : 'ok'
  } catch (error) {
    if (error instanceof QuerentError) return error.code
    throw error
  }
}

/** The first event of a stream; its end is none. A list in it is what there is to see. */
async function first(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const event of stream) {
    const { asks } = event as { asks?: unknown[] }
    return asks ?? event
  }
  return []
}

const answer = ({ run, ask: id }: Ids) => ({ run, id })

/** What a run is told to do is the same whosever method it is. */
const actions = {
  approve: ({ approve }: Runs | Helper | PersonHandle['runs'], ids: Ids) => approve({ ...place(ids), data: 'M' }),
  refuse: ({ refuse }: Runs | Helper | PersonHandle['runs'], ids: Ids) => refuse(place(ids)),
  say: ({ say }: Runs | Helper | PersonHandle['runs'], { run }: Ids) => say({ run, text: 'hi' }),
  stop: ({ stop }: Runs | Helper | PersonHandle['runs'], { run }: Ids) => stop({ run }),
  atRest: ({ atRest }: Runs | Helper | PersonHandle['runs'], { run }: Ids) => atRest(run),
}

const place = ({ run }: Ids) => ({ run, step: 'question 1.1' })

type PersonMethod =
  | Exclude<keyof PersonHandle, 'runs' | 'agent'>
  | `runs.${keyof PersonHandle['runs']}`
  | `agent.${keyof Helper}`

interface PersonRow {
  act(handle: PersonHandle, anns: Ids): unknown
  /** Another person, the starter, and the starter in a process that lacks the agent. */
  gives: { other: string; starter: string; elsewhere: string }
}

const ofStarter = { other: code.T0001, starter: 'ok', elsewhere: 'ok' }
const ownList = { other: 'ok, none', starter: 'ok', elsewhere: 'ok' }

/** The methods of a helper are those of the handle's `runs`, under an agent that must be there. */
const helper = (act: (helper: Helper, anns: Ids) => unknown, gives: PersonRow['gives'] = ofStarter): PersonRow => ({
  act: (handle, anns) => act(handle.agent('asker'), anns),
  gives: { ...gives, elsewhere: code.T1005 },
})

const personTable: Record<PersonMethod, PersonRow> = {
  agents: { act: (handle) => handle.agents(), gives: { other: 'ok', starter: 'ok', elsewhere: 'ok' } },
  asks: { act: (handle) => handle.asks(), gives: ownList },
  askPage: { act: (handle) => handle.askPage(), gives: ownList },
  events: { act: (handle) => first(handle.events()), gives: ownList },
  'runs.list': { act: ({ runs }) => runs.list(), gives: ownList },
  'runs.get': { act: ({ runs }, { run }) => runs.get(run), gives: ofStarter },
  'runs.approve': { act: ({ runs }, anns) => runs.approve(answer(anns), { data: 'M' }), gives: ofStarter },
  'runs.refuse': { act: ({ runs }, anns) => runs.refuse(answer(anns)), gives: ofStarter },
  'runs.say': { act: ({ runs }, anns) => actions.say(runs, anns), gives: ofStarter },
  'runs.stop': { act: ({ runs }, anns) => actions.stop(runs, anns), gives: ofStarter },
  'runs.atRest': { act: ({ runs }, anns) => actions.atRest(runs, anns), gives: ofStarter },
  'runs.watch': { act: ({ runs }, { run }) => first(runs.watch(run)), gives: ofStarter },
  'agent.start': helper(({ start }) => start('hi'), { other: 'ok', starter: 'ok', elsewhere: code.T1005 }),
  'agent.run': helper((asker, { run }) => asker.run(run)),
  'agent.working': helper(({ working }) => working(), ownList),
  'agent.approve': helper(actions.approve),
  'agent.refuse': helper(actions.refuse),
  'agent.say': helper(actions.say),
  'agent.stop': helper(actions.stop),
  'agent.atRest': helper(actions.atRest),
  'agent.watch': helper((asker, { run }) => first(asker.watch(run))),
}

describe.each(Object.entries(personTable))('G10 what a person does: %s', (_, { act, gives }) => {
  test.each(['other', 'starter', 'elsewhere'] as const)('as %s', async (caller) => {
    const { engine, elsewhere, anns, logs } = await scene()
    const before = await logs()
    const handle = (caller === 'elsewhere' ? elsewhere : engine).as({ id: caller === 'other' ? 'bob' : 'ann' })
    expect(await outcomeOf(() => act(handle, anns))).toBe(gives[caller])
    if (caller === 'other') expect(await logs()).toEqual(before)
  })

  test('with a run of the system', async () => {
    const { engine, systems, logs } = await scene()
    const before = await logs()
    // Nobody's run is not there, as another person's is not. Of what a person has without it nothing is said here.
    const given = await outcomeOf(() => act(engine.as({ id: 'bob' }), systems))
    expect(given).toBe(gives.other)
    expect(await logs()).toEqual(before)
  })
})

type BackendMethod = `runs.${keyof Runs}` | `asks.${keyof Engine['asks']}`

interface BackendRow {
  act(engine: Engine, ids: Ids): unknown
  /** With a run of Ann's, with one that the system started, and with that in a process that lacks the agent. */
  gives: { persons: string; systems: string; elsewhere: string }
}

/** The operator sees, stops and removes every run. */
const ofOperator = { persons: 'ok', systems: 'ok', elsewhere: 'ok' }
/** Nobody answers or speaks for a person. */
const ofSystem = { ...ofOperator, persons: code.T3101 }

const backendTable: Record<BackendMethod, BackendRow> = {
  'runs.start': {
    act: ({ runs }) => runs.start('asker', { input: 'hi' }),
    gives: { ...ofOperator, elsewhere: code.T1005 },
  },
  'runs.get': { act: ({ runs }, { run }) => runs.get(run), gives: ofOperator },
  'runs.list': { act: ({ runs }) => runs.list(), gives: ofOperator },
  'runs.log': { act: ({ runs }, { run }) => runs.log(run), gives: ofOperator },
  'runs.atRest': { act: ({ runs }, ids) => actions.atRest(runs, ids), gives: ofOperator },
  'runs.stop': { act: ({ runs }, ids) => actions.stop(runs, ids), gives: ofOperator },
  'runs.approve': { act: ({ runs }, ids) => actions.approve(runs, ids), gives: ofSystem },
  'runs.refuse': { act: ({ runs }, ids) => actions.refuse(runs, ids), gives: ofSystem },
  'runs.say': { act: ({ runs }, ids) => actions.say(runs, ids), gives: ofSystem },
  // It waits: there is nothing to try again, and nothing that is over.
  'runs.retry': { act: ({ runs }, { run }) => runs.retry(run), gives: all(code.T0011) },
  'runs.erase': { act: ({ runs }, { run }) => runs.erase(run), gives: all(code.T0011) },
  'asks.list': { act: ({ asks }) => asks.list({ person: 'ann' }), gives: ofOperator },
}

function all(gives: string): BackendRow['gives'] {
  return { persons: gives, systems: gives, elsewhere: gives }
}

describe.each(Object.entries(backendTable))('G10 what the backend does: %s', (_, { act, gives }) => {
  test.each(['persons', 'systems', 'elsewhere'] as const)('with %s', async (whose) => {
    const { engine, elsewhere, anns, systems, logs } = await scene()
    const before = await logs()
    const given = await outcomeOf(() =>
      act(whose === 'elsewhere' ? elsewhere : engine, whose === 'persons' ? anns : systems),
    )
    expect(given).toBe(gives[whose])
    if (given === code.T3101) expect(await logs()).toEqual(before)
  })
})

test('every method has its row', async () => {
  const { engine } = await scene()
  const ann = engine.as({ id: 'ann' })
  const under = (prefix: string, of: object) => Object.keys(of).map((name) => `${prefix}${name}`)
  const person = [...under('', ann), ...under('runs.', ann.runs), ...under('agent.', ann.agent('asker'))]
  expect(Object.keys(personTable).sort()).toEqual(person.filter((name) => !['runs', 'agent'].includes(name)).sort())
  expect(Object.keys(backendTable).sort()).toEqual(
    [...under('runs.', engine.runs), ...under('asks.', engine.asks)].sort(),
  )
  // What is left of an engine is no person's: it starts, ends and looks at the process itself.
  const own = Object.keys(engine).filter((name) => !['runs', 'asks'].includes(name))
  expect(own.sort()).toEqual(['agents', 'as', 'close', 'doctor', 'isReady', 'removeNotifier', 'start', 'stop'])
})

test('nobody is no person, whatever stands for them: T0007 before anything can be asked', async () => {
  const { engine } = await scene()
  const nobodies = [undefined, null, {}, { id: '' }, { id: 7 }, { id: null }, { id: ['ann'] }, { id: { id: 'ann' } }]
  // Stored, these three would be one: each keeps a replacement in place of what it cannot keep.
  nobodies.push({ id: 'ann\0' }, { id: 'ann\uD800' }, { id: '\uDC00ann' })
  for (const person of nobodies) {
    expect(() => engine.as(person as never)).toThrow(expect.objectContaining({ code: code.T0007, status: 401 }))
  }
})

test('names that look like another’s are other names', async () => {
  const { engine, anns } = await scene()
  const lookAlikes = ['Ann', 'ANN', ' ann', 'ann ', 'ａｎｎ', 'аnn', 'ann\u200b', '%', '_nn', "ann' or '1'='1"]
  for (const id of lookAlikes) {
    const handle = engine.as({ id })
    expect(await outcomeOf(() => handle.runs.get(anns.run)), JSON.stringify(id)).toBe(code.T0001)
    expect(await outcomeOf(() => handle.asks()), JSON.stringify(id)).toBe('ok, none')
  }
})
