import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { agent, createEngine, type Engine, type Helper, type RunEvent } from 'querent'
import { postgres } from 'querent/postgres'
import { type FaultPoint, faultStore, type Store, scriptedModel } from 'querent/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/core/ambient.ts'
import { newRun } from '../../src/testing/store-kit/fixtures.ts'
import { type Running, start } from '../crash/process.ts'
import { onDatabase, type PostgresServer, startPostgres, urlOf } from '../setup/postgres-server.ts'
import type { HolderJob } from './holder.ts'

/* Several workers on one Postgres, as if each were on a machine of its own, some of which die or freeze. */

let server: PostgresServer
let url: string
let databases = 0
let store: Store
let operator: Engine
let ann: Helper
const holders = new Set<Running>()

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

beforeEach(async () => {
  databases += 1
  await onDatabase(server.url, `create database many_${databases}`)
  url = urlOf(server.url, `many_${databases}`)
  store = postgres(url)
  await store.migrate()
  operator = createEngine({ agents: [], store })
  ann = operator.as({ id: 'ann' }).agent('any')
})

afterEach(async () => {
  for (const { child, ended } of holders) {
    child.kill('SIGKILL')
    await ended
  }
  holders.clear()
  await operator.close()
})

const all = ['pour', 'read', 'deadly', 'model', 'ask']

async function hold(name: string, job: Partial<HolderJob> = {}): Promise<Running> {
  const holder = start('../chaos/holder.ts', { url, name, host: `the machine of ${name}`, agents: all, ...job })
  holders.add(holder)
  await holder.printed('begun')
  return holder
}

/** Starts a run in a process, which works on it, and gives its id. */
async function startRun(holder: Running, agentName: string): Promise<string> {
  holder.tell(`start ${agentName}`)
  return (await holder.printed('started ')).slice('started '.length)
}

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL')
  expect((await ended).signal).toBe('SIGKILL')
}

async function endOf({ child, ended }: Running): Promise<string> {
  child.stdin?.end()
  const { code, output, errors } = await ended
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  return output
}

function typesIn(log: RunEvent[]): string[] {
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  return log.map(({ type }) => type)
}

test('of workers that die or freeze on other machines the runs go on here when their leases end; who thaws writes nothing', async () => {
  const [killed, thinking, frozen] = await Promise.all([hold('killed'), hold('thinking'), hold('frozen')])
  const read = await startRun(killed, 'read')
  const thought = await startRun(thinking, 'model')
  const poured = await startRun(frozen, 'pour')
  await killed.printed('running read')
  await thinking.printed('running model')
  await frozen.printed('running pour')
  await Promise.all([kill(killed), kill(thinking)])
  frozen.child.kill('SIGSTOP')

  const other = await hold('other')
  for (const run of [read, thought, poured]) await other.printed(`claimed ${run}`)
  other.tell('go')
  for (const run of [read, thought, poured]) expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
  expect((await ann.run(thought)).text).toBe('Thought by other.')
  const logs = { read: await operator.runs.log(read), poured: await operator.runs.log(poured) }
  expect(JSON.stringify(logs.read)).toContain('read by other')
  expect(JSON.stringify(logs.poured)).toContain('It may or may not have happened.')
  expect(typesIn(logs.poured).filter((type) => type === 'tool.started')).toHaveLength(1)

  frozen.child.kill('SIGCONT')
  await frozen.printed('aborted pour')
  expect(await endOf(frozen)).toContain('lost renewClaim')
  expect(await operator.runs.log(poured)).toEqual(logs.poured)
  expect(await store.getRun(poured)).toMatchObject({ fence: 2, status: 'done' })
})

test('a dead worker of the same machine is seen at once: its lease is not waited for', async () => {
  const dead = await hold('dead', { host: 'one' })
  const run = await startRun(dead, 'read')
  await dead.printed('running read')
  await onDatabase(url, "update querent.runs set due_at = due_at + 86400000 where status = 'working'")
  await kill(dead)
  const other = await hold('other', { host: 'one' })
  await other.printed(`claimed ${run}`)
})

test('a worker without the agent says so and takes none of its runs; a rollback finds them', async () => {
  const newer = await hold('newer', { agents: ['read'] })
  const starter = createEngine({ agents: [agent('ask', { model: scriptedModel([]) })], store })
  const { run } = await starter.as({ id: 'ann' }).agent('ask').start('Please.')
  expect(await newer.printed('said runs of agent "ask"')).toContain('T1005')
  expect(await endOf(newer)).not.toContain(`claimed ${run}`)
  expect(await store.getRun(run)).toMatchObject({ status: 'ready', fence: 0 })
  await hold('rolled back')
  expect(await ann.atRest(run)).toMatchObject({ status: 'waiting' })
})

test('a run that kills every worker that takes it ends as failed, with the cause', async () => {
  const starter = createEngine({ agents: [agent('deadly', { model: scriptedModel([]) })], store })
  const { run } = await starter.as({ id: 'ann' }).agent('deadly').start('Please.')
  const rested = ann.atRest(run).then(() => 'rested')
  let deaths = 0
  for (;;) {
    const next = start('../chaos/holder.ts', { url, name: `worker ${deaths}`, host: 'one', agents: all })
    holders.add(next)
    if ((await Promise.race([rested, next.ended])) === 'rested') break
    deaths += 1
  }
  expect(deaths).toBe(6)
  expect(await ann.run(run)).toMatchObject({ status: 'failed', error: { code: 'T2005' } })
  expect((await ann.run(run)).error?.message).toContain('it kills its workers')
})

describe('clocks of workers that are a day off', () => {
  const dayMs = 86_400_000

  /** An engine whose process thinks that it is another day. Resolves `looked` when it has looked for runs to erase. */
  async function daysOff(days: number) {
    let expiries = 0
    const looked = Promise.withResolvers<void>()
    let isOver = false
    const atPoint = ({ transition, when }: FaultPoint) => {
      if (when === 'after' && transition === 'expireAsks') expiries += 1
      if (when === 'after' && transition === 'eraseEnded' && isOver) looked.resolve()
    }
    const turns = [{ calls: [{ tool: 'question', input: { question: 'Now?' } }] }, { text: 'Too late.' }]
    const asker = agent('asker', {
      model: scriptedModel(turns),
      questions: true,
      limits: { ask: 1500 },
      onExpire: 'tell',
    })
    const engine = createEngine({
      agents: [asker],
      store: faultStore(postgres(url, { connections: 2 }), atPoint),
      clock: { ...systemClock, now: () => systemClock.now() + days * dayMs },
      retention: '1h',
    })
    await engine.start()
    return {
      engine,
      expiries: () => expiries,
      looked: () => {
        isOver = true
        return looked.promise
      },
    }
  }

  test.each([[[1]], [[-1]], [[1, -1]]])('change nothing: %j', async (days) => {
    const workers = await Promise.all(days.map(daysOff))
    const helper = workers[0]?.engine.as({ id: 'ann' }).agent('asker') as Helper
    const { run } = await helper.start('Please.')
    for await (const _ of helper.watch(run));
    expect(await helper.run(run)).toMatchObject({ status: 'done', text: 'Too late.' })
    const [ask] = (await store.listAsks({ run, open: false })).items
    expect(ask).toMatchObject({ state: 'expired' })
    expect((ask?.end?.at ?? 0) > (ask?.until ?? 0)).toBe(true)
    // One that looks for what is overdue by its own clock would never rest, or sleep for a day.
    for (const { expiries } of workers) expect(expiries()).toBeLessThan(20)
    await Promise.all(workers.map(({ looked }) => looked()))
    expect(await store.getRun(run)).toMatchObject({ status: 'done', fence: 2 })
    await Promise.all(workers.map(({ engine }) => engine.close()))
  })
})

test('an overdue ask whose run somebody has locked is waited for once, not looked for again and again', async () => {
  let looks = 0
  const atPoint = ({ transition, when }: FaultPoint) => {
    if (transition === 'expireAsks' && when === 'before') looks += 1
  }
  const asker = agent('asker', {
    model: scriptedModel([{ calls: [{ tool: 'question', input: { question: 'Now?' } }] }, { text: 'Too late.' }]),
    questions: true,
    // Time enough to lock it before.
    limits: { ask: 3000 },
  })
  const engine = createEngine({ agents: [asker], store: faultStore(postgres(url), atPoint) })
  await engine.start()
  const helper = engine.as({ id: 'ann' }).agent('asker')
  const { run } = await helper.start('Please.')
  await helper.atRest(run)
  const other = new pg.Client(url)
  await other.connect()
  await other.query('begin; select from querent.runs for update')
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await onDatabase(url, waiting)).length === 0) await new Promise(setImmediate)
  expect(looks).toBeLessThan(10)
  expect(await helper.run(run)).toMatchObject({ status: 'waiting' })
  await other.end()
  for await (const _ of helper.watch(run));
  expect(await helper.run(run)).toMatchObject({ status: 'done', text: 'Too late.' })
  await engine.close()
})

test('lists, views and logs can be read where nothing may be written, as on a standby', async () => {
  const created = newRun()
  await store.createRun(created)
  const run = created.id
  const standby = new URL(url)
  standby.searchParams.set('options', '-c default_transaction_read_only=on')
  const reader = createEngine({ agents: [], store: postgres(standby.href) })
  const seen = reader.as({ id: 'ann' })
  expect(await seen.asks()).toEqual([])
  expect((await seen.runs.list()).items.map((item) => item.run)).toEqual([run])
  expect(await seen.runs.get(run)).toMatchObject({ run, status: 'ready' })
  expect(await reader.runs.log(run)).toHaveLength(1)
  await reader.close()
})

test('docs/scale.md: a log in partitions is a log like any other', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
  const [, sql = ''] = /```sql\n([\s\S]+?)```/.exec(page) ?? []
  await onDatabase(url, `begin; ${sql} commit`)
  const worker = await hold('worker')
  const run = await startRun(worker, 'ask')
  expect(await ann.atRest(run)).toMatchObject({ status: 'waiting' })
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
  expect(await onDatabase(url, 'select count(*)::integer as count from querent.events_first')).toEqual([
    { count: (await operator.runs.log(run)).length },
  ])
})

test('an idle worker hears at once of what another process readied, without looking', async () => {
  const idle = await hold('idle', { neverLooks: true })
  const starter = createEngine({ agents: [agent('ask', { model: scriptedModel([]), questions: true })], store })
  const { run } = await starter.as({ id: 'ann' }).agent('ask').start('Please.')
  await idle.printed(`claimed ${run}`)
  expect(await ann.atRest(run)).toMatchObject({ status: 'waiting' })
  await ann.approve({ run, step: 'question 1.1', data: 'M' })
  expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
})

test('sixteen idle workers: a commit of somebody else makes each look once, and one of them works', async () => {
  const claims: { worker: number; got: boolean }[] = []
  const agents = [agent('quick', { model: scriptedModel([{ text: 'Done.' }]) })]
  const engines = Array.from({ length: 16 }, (_, worker) => {
    const atPoint = ({ transition, when, result }: FaultPoint) => {
      if (transition === 'claimRun' && when === 'after') claims.push({ worker, got: result !== undefined })
    }
    const own = faultStore(postgres(url, { connections: 1 }), atPoint)
    // Without a clock they look only when they are told.
    return createEngine({ agents, store: own, clock: { now: systemClock.now, after: () => () => undefined } })
  })
  await Promise.all(engines.map((engine) => engine.start()))
  while (new Set(claims.map(({ worker }) => worker)).size < 16) await new Promise(setImmediate)
  claims.length = 0
  const starter = createEngine({ agents, store })
  const { run } = await starter.as({ id: 'ann' }).agent('quick').start('Please.')
  expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
  await Promise.all(engines.map((engine) => engine.close()))
  expect(claims.filter(({ got }) => got)).toHaveLength(1)
  // Three commits: created, claimed, finished. Each is told of once, and those that follow closely together.
  for (let worker = 0; worker < 16; worker += 1) {
    expect(claims.filter((each) => each.worker === worker).length).toBeLessThanOrEqual(4)
  }
})
