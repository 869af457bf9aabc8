import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine, defaultTexts, type Engine, type RunEvent } from 'querent'
import { sqlite } from 'querent/sqlite'
import { fakeClock } from 'querent/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import type { HolderJob } from './holder.ts'
import { type Running, start } from './process.ts'
import { startMs } from './traces.ts'

/* Several processes on one file, one of which dies or freezes. What the test sees, it reads as an operator would. */

let folder: string
let store: Store
let operator: Engine
const holders = new Set<Running>()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querent-takeover-'))
  // Beside deadlines of processes whose clocks stand in the past, none of ours may be past.
  store = sqlite(join(folder, 'querent.db'), { clock: fakeClock(startMs) })
  operator = createEngine({ agents: [], store })
})

afterEach(async () => {
  for (const { child, ended } of holders) {
    child.kill('SIGKILL')
    await ended
  }
  holders.clear()
  await operator.close()
  rmSync(folder, { recursive: true })
})

async function hold(job: Partial<HolderJob> & { name: string }): Promise<Running> {
  const holder = start('holder.ts', { database: join(folder, 'querent.db'), works: true, ...job })
  holders.add(holder)
  await holder.printed('begun')
  return holder
}

/** Starts a run in a process, and gives its id. */
async function startRun(holder: Running, agent: string): Promise<string> {
  holder.tell(`start ${agent}`)
  return (await holder.printed('started ')).slice('started '.length)
}

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL')
  expect((await ended).signal).toBe('SIGKILL')
}

/** Lets a process come to its end. What it was doing is over then, and what it would write is written. */
async function endOf({ child, ended }: Running): Promise<string> {
  child.stdin?.end()
  const { code, output, errors } = await ended
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  return output
}

function outline(log: RunEvent[]): string[] {
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1))
  return log.map((event) => event.type)
}

const withTool = ['run.started', 'model.replied', 'tool.started', 'tool.returned', 'model.replied', 'run.finished']

describe('a worker that froze, lost its run to another, and comes back', () => {
  const leaseMs = 10_000

  describe.each(['pour', 'read', 'model'])('in its %s', (agent) => {
    test.each([
      { isDeaf: false, how: 'hears of it', sign: 'lost renewClaim' },
      { isDeaf: true, how: 'writes before it hears of it', sign: agent === 'model' ? 'lost finishRun' : 'lost append' },
    ])('and $how: nothing of it is there (G5, G6)', async ({ isDeaf, sign }) => {
      const frozen = await hold({ name: 'the frozen', isDeaf })
      const run = await startRun(frozen, agent)
      await frozen.printed(`running ${agent}`)
      frozen.child.kill('SIGSTOP')

      const other = await hold({ name: 'the other', aheadMs: leaseMs })
      await other.printed('claimed nothing')
      expect(await store.getRun(run)).toMatchObject({ status: 'working', fence: 1 })
      other.tell('advance 2000')
      await other.printed('claimed a run')
      other.tell(`rest ${run}`)
      // What may be repeated is under way in both then, and the frozen one is done with it first.
      await other.printed(agent === 'pour' ? 'rests done' : `running ${agent}`)
      const before = await operator.runs.log(run)

      frozen.child.kill('SIGCONT')
      if (!isDeaf) await frozen.printed(`aborted ${agent}`)
      frozen.tell('go')
      expect(await endOf(frozen)).toContain(sign)
      expect(await operator.runs.log(run)).toEqual(before)
      expect(await store.getRun(run)).toMatchObject({ fence: 2 })

      other.tell('go')
      await other.printed('rests done')
      const output = await endOf(other)
      const log = await operator.runs.log(run)
      expect(JSON.stringify(log)).not.toContain('by the frozen')
      if (agent === 'model') {
        expect(outline(log)).toEqual(['run.started', 'model.replied', 'run.finished'])
      } else {
        expect(outline(log)).toEqual(withTool)
        const value = agent === 'pour' ? defaultTexts.interrupted : 'read by the other'
        expect(log[3]).toMatchObject({ data: { result: { value } } })
      }
      expect(output.includes(`running ${agent}`)).toBe(agent !== 'pour')
    })
  })
})

test.each(['pour', 'model'])(
  'a worker that froze in its %s, and whose run was stopped meanwhile: nothing of it is there (G5)',
  async (agent) => {
    const frozen = await hold({ name: 'the frozen', isDeaf: true })
    const run = await startRun(frozen, agent)
    await frozen.printed(`running ${agent}`)
    frozen.child.kill('SIGSTOP')
    expect(await operator.runs.stop({ run })).toEqual({ run, status: 'stopped' })
    const before = await operator.runs.log(run)
    expect(outline(before).at(-1)).toBe('run.stopped')

    frozen.child.kill('SIGCONT')
    frozen.tell('go')
    expect(await endOf(frozen)).toContain(agent === 'model' ? 'lost finishRun' : 'lost append')
    expect(await operator.runs.log(run)).toEqual(before)
    expect(await store.getRun(run)).toMatchObject({ status: 'stopped', fence: 2 })
  },
)

test('of two processes on one file one is killed: the other takes over its runs at once, its own go on (G4, G6)', async () => {
  const killed = await hold({ name: 'the killed' })
  const left = await startRun(killed, 'read')
  await killed.printed('running read')

  const other = await hold({ name: 'the other' })
  await other.printed('claimed nothing')
  const own = await startRun(other, 'pour')
  await other.printed('running pour')
  expect(await store.getRun(left)).toMatchObject({ status: 'working', fence: 1 })

  await kill(killed)
  // It looks around every two seconds of its clock; the lease of the dead would last for ten.
  other.tell('advance 2000')
  await other.printed('running read')
  other.tell('go')
  for (const run of [left, own]) other.tell(`rest ${run}`)
  const output = await endOf(other)
  expect(output.match(/rests done/g)).toHaveLength(2)
  expect(output.match(/running pour/g)).toHaveLength(1)
  expect(await store.getRun(left)).toMatchObject({ status: 'done', fence: 2 })
  expect(await store.getRun(own)).toMatchObject({ status: 'done', fence: 1 })
  for (const run of [left, own]) expect(outline(await operator.runs.log(run))).toEqual(withTool)
})

describe('parked on choices, and the server is killed (C15)', () => {
  /** Parks a run in a process that is killed then. */
  async function parked(): Promise<string> {
    const server = await hold({ name: 'the server' })
    const run = await startRun(server, 'ask')
    server.tell(`rest ${run}`)
    await server.printed('rests waiting')
    const asks = await operator.asks.list({ person: 'ann' })
    await kill(server)
    expect(asks.items).toMatchObject([
      { run, step: 'question 1.1', options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }] },
    ])
    expect(asks.items[0]?.until).toBeDefined()
    return run
  }

  test('started again it waits on the same ask, and ends when that is answered from elsewhere (G1, G4)', async () => {
    const run = await parked()
    const asked = await operator.asks.list({ person: 'ann' })
    const server = await hold({ name: 'the next', aheadMs: 60_000 })
    await server.printed('claimed nothing')
    expect(await operator.asks.list({ person: 'ann' })).toEqual(asked)

    const terminal = await hold({ name: 'the terminal', works: false })
    terminal.tell(`answer ${run} M`)
    await endOf(terminal)
    await server.printed('claimed a run')
    server.tell(`rest ${run}`)
    await server.printed('rests done')
    await endOf(server)
    expect(await operator.runs.get(run)).toMatchObject({ status: 'done', text: 'Ordered.' })
  })

  test.each([
    { works: false, status: 'ready', who: 'a process that only answers' },
    { works: true, status: 'working', who: 'a process that would go on itself' },
  ])(
    'killed between "answer stored" and "run resumed", it ends by itself after start: $who (G1, G4)',
    async (answering) => {
      const { works, status } = answering
      const run = await parked()
      const killed = await hold({ name: 'the killed', works, killAfter: 'settleAsk' })
      killed.tell(`answer ${run} M`)
      expect((await killed.ended).signal).toBe('SIGKILL')
      expect(await store.getRun(run)).toMatchObject({ status })
      expect((await store.findAsks(run, 'question 1.1'))[0]).toMatchObject({ state: 'approved', end: { data: 'M' } })

      const next = await hold({ name: 'the next' })
      await next.printed('claimed a run')
      next.tell(`rest ${run}`)
      await next.printed('rests done')
      await endOf(next)
      const log = await operator.runs.log(run)
      const middle = ['ask.opened', 'ask.settled', 'tool.returned']
      expect(outline(log)).toEqual(['run.started', 'model.replied', ...middle, 'model.replied', 'run.finished'])
    },
  )
})
