import fc from 'fast-check'
import type { RunEvent } from 'querent'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import { expect, test } from 'vitest'
import type { AskRow, Store } from '../../src/store/store.ts'
import { allow, EngineBench, fitting, turn } from './engine-bench.ts'
import { RandomAgent } from './random-agent.ts'
import { slowRunsOf, slowTimeoutMs, Tape, tapes, tellStory } from './tape.ts'

/* Random agents, random people, random ends of processes, on one file. */

const over = ['done', 'failed', 'stopped']

/** One thing that happens. */
async function happen(bench: EngineBench, tape: Tape): Promise<void> {
  const what = tape.oneOf(happenings)
  const { gates, processes, runs, clock } = bench
  const run = tape.oneOf(runs)
  if (what === 'release' && gates.names.length > 0) {
    const index = tape.pick(gates.names.length)
    bench.tell(`-- let go: ${gates.names[index]}`)
    gates.release(index)
  } else if (what === 'settle') await settleOne(bench, tape)
  else if (what === 'say') await bench.say(run, tape.pick(2))
  else if (what === 'stop' && tape.chance(3)) await bench.stop(run, tape.pick(2))
  else if (what === 'retry') await bench.retry(run)
  else if (what === 'start' && runs.length < 3) await bench.start()
  else if (what === 'open' && processes.length < 3) await bench.open()
  else if (what === 'kill') await bench.kill(tape.pick(processes.length))
  else if (what === 'close') await bench.close(tape.pick(processes.length))
  else if (what === 'clock') {
    clock.advance(tape.oneOf([1, 1_000, 2_000, 3_000, 11_000, 61_000]))
    bench.tell('-- time')
  }
  if (processes.length === 0) await bench.open()
}

const happenings = [
  ...(['release', 'release', 'release', 'release', 'release', 'settle', 'settle', 'settle', 'settle', 'turn'] as const),
  ...(['clock', 'clock', 'clock', 'say', 'open', 'kill', 'close', 'start', 'stop', 'retry'] as const),
]

async function settleOne(bench: EngineBench, tape: Tape): Promise<void> {
  const asks = await bench.openAsks()
  if (asks.length === 0) return
  const ask = tape.oneOf(asks)
  const how = tape.oneOf(['approve', 'approve', 'refuse', 'bad'] as const)
  if (how === 'approve') allow(await bench.approve(ask, fitting(ask), tape.pick(2)), ['T0003', 'T0005'])
  else if (how === 'refuse') await bench.refuse(ask, tape.pick(2))
  else {
    const refused = await bench.approve(ask, ask.kind === 'approval' ? { input: {} } : { bad: true }, tape.pick(2))
    expect(refused).toMatch(ask.kind === 'approval' ? /^T(0010|0003|0005)$/ : /^T(0002|0003|0005)$/)
  }
}

/** A last process, and a person who answers everything: every run must come to its end. */
async function bringToEnd(bench: EngineBench, store: Store): Promise<void> {
  bench.tell('-- to the end')
  bench.gates.releaseAll()
  await bench.open()
  for (let rounds = 0; rounds < 300; rounds++) {
    for (let turns = 0; turns < 10; turns++) await turn()
    const rows = await Promise.all(bench.runs.map((run) => store.getRun(run)))
    if (rows.every((row) => over.includes(row?.status ?? ''))) return
    for (const ask of await bench.openAsks()) allow(await bench.approve(ask, fitting(ask), 0), ['T0003', 'T0005'])
    bench.clock.advance(3_000)
  }
  const rows = await Promise.all(bench.runs.map((run) => store.getRun(run)))
  throw new Error(`It does not end: ${rows.map((row) => row?.status)}.`)
}

async function check(bench: EngineBench, store: Store): Promise<void> {
  for (const run of bench.runs) {
    const log = await store.readEvents(run, 0)
    const rows = (await store.listAsks({ run, open: false, limit: 200 })).items
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1))
    expect((await store.getRun(run))?.lastSeq).toBe(log.length)
    checkSettlements(log, rows)
    checkResults(log)
    checkMessages(bench, run, log)
    expect(JSON.stringify(await bench.helper(0).run(run))).not.toMatch(/HIDDEN|RESULT/)
  }
  await checkAccepted(bench, store)
  checkPrompts(bench)
}

/** Each ask ended once, in its row and in the log alike. */
function checkSettlements(log: RunEvent[], rows: AskRow[]): void {
  const opened = log.flatMap((event) => (event.type === 'ask.opened' ? [event.data.id] : []))
  expect(rows.map((row) => row.id)).toEqual(opened)
  // The digest of an approved call stands in the log alone: that is where it is looked at.
  const settled = log.flatMap((event) => {
    if (event.type !== 'ask.settled') return []
    const { shown: _, ...settlement } = event.data
    return [settlement]
  })
  for (const { id, end } of rows) {
    const { at: _, answerId: __, ...settlement } = end ?? { at: 0 }
    expect(settled.filter((each) => each.ask === id)).toEqual([settlement])
  }
}

/** Each call was answered once. */
function checkResults(log: RunEvent[]): void {
  const calls = log
    .flatMap((event) => (event.type === 'model.replied' ? event.data.calls : []))
    .map(({ effect }) => effect)
  const returned = log.flatMap((event) => (event.type === 'tool.returned' ? [event.data.effect] : []))
  expect(returned.toSorted()).toEqual(calls.toSorted())
}

function checkMessages({ accepted }: EngineBench, run: string, log: RunEvent[]): void {
  const added = log.flatMap((event) => (event.type === 'message.added' ? [event.data] : []))
  const inLog = added.filter(({ from }) => from === 'person').map(({ content }) => content)
  const said = accepted.said.filter((each) => each.run === run).map(({ text }) => text)
  expect(inLog).toEqual(said)
  expect(new Set(inLog).size).toBe(inLog.length)
}

/** What was accepted is there, once; what must not run twice did not, and not without leave. */
async function checkAccepted({ accepted, seen }: EngineBench, store: Store): Promise<void> {
  const ids = accepted.settled.map(({ ask }) => ask)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { ask, ...given } of accepted.settled) {
    expect((await store.getAsk(ask))?.end).toMatchObject({ ...given, by: { type: 'person', id: 'ann' } })
  }
  for (const [effect, runs] of seen.acted) {
    expect([effect, runs.length]).toEqual([effect, 1])
    if (runs[0]?.tool !== 'pay') continue
    const [run = ''] = effect.split('.')
    const asks = (await store.listAsks({ run, open: false, limit: 200 })).items
    expect(asks.find((row) => row.effect === effect)).toMatchObject({ state: 'approved', input: runs[0].input })
  }
}

/** All that models were ever sent of a run, by whatever process: each begins with every shorter one. */
function checkPrompts({ seen }: EngineBench): void {
  for (const prompts of seen.prompts.values()) {
    let before: string[] = []
    for (const prompt of prompts.toSorted((a, b) => a.length - b.length)) {
      expect(prompt.slice(0, before.length)).toEqual(before)
      expect(wellFormed(prompt.map((text) => JSON.parse(text) as ModelMessage))).toEqual([])
      before = prompt
    }
  }
}

test(
  'random agents, people and ends of processes: every run ends, every answer counts once (G1, G2, G4, G5, G6, G9)',
  async () => {
    let settled = 0
    const property = fc.asyncProperty(tapes(400), async (choices) => {
      const tape = new Tape(choices)
      const bench = new EngineBench(new RandomAgent(tape))
      const store = bench.store()
      try {
        await bench.open()
        await bench.start()
        while (!tape.ended) {
          await happen(bench, tape)
          for (let turns = tape.pick(4); turns > 0; turns--) await turn()
        }
        await bringToEnd(bench, store)
        await check(bench, store)
        settled += bench.accepted.settled.length
      } catch (error) {
        throw tellStory(error, [...bench.story, ...(await logsOf(bench, store))])
      } finally {
        await bench.end()
        await store.close()
      }
    })
    await fc.assert(property, slowRunsOf(120))
    expect(settled).toBeGreaterThan(100)
  },
  slowTimeoutMs,
)

async function logsOf(bench: EngineBench, store: Store): Promise<string[]> {
  const logs = await Promise.all(bench.runs.map((run) => store.readEvents(run, 0)))
  const lines = logs.flat().map(({ seq, type, data }) => `log ${seq} ${type} ${JSON.stringify(data).slice(0, 200)}`)
  return [...lines, ...bench.journal.lines.map((line) => JSON.stringify(line))]
}
