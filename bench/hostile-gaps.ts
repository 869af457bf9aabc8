/**
 * How long each hostile shape, answer, question and body holds up the event loop, and what memory is left behind. What
 * becomes of them, test/hostile says. `npx node --conditions=querent-source bench/hostile-gaps.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { agent, createEngine, questionText } from 'querent'
import { readQuestion } from 'querent/extension'
import { createServer } from 'querent/server'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'
import type { Json, JsonSchema } from '../src/core/json.ts'
import { checkAnswer } from '../src/shape/check-answer.ts'
import { checkShape } from '../src/shape/check-shape.ts'
import { dearShapes, refusedShapes } from '../test/hostile/hostile-shapes.ts'

interface Measured {
  name: string
  /** The longest time without a turn of the event loop, by the wall. */
  gapMs: number
  /** The processor time of this thread: what else the machine does is no part of it. */
  busyMs: number
  rssMb: number
}

const busyMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function measured(name: string, work: () => Promise<unknown>): Promise<Measured> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  await wait(5)
  delay.enable()
  await wait(5)
  const before = busyMs()
  let longest = 0
  let last = before
  let goesOn = true
  const turn = () => {
    longest = Math.max(longest, busyMs() - last)
    last = busyMs()
    if (goesOn) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  // What never gave way to the event loop ends here.
  longest = Math.max(longest, busyMs() - last)
  goesOn = false
  await wait(5)
  delay.disable()
  return { name, gapMs: delay.max / 1e6, busyMs: longest, rssMb: process.memoryUsage.rss() / 2 ** 20 }
}

// What is loaded once, at the first question, is no part of it.
await checkShape({ pattern: 'a' })
await checkAnswer({ items: { pattern: 'a' } }, Array.from({ length: 20_000 }, String))

const results: Measured[] = []
for (const { name, shape } of refusedShapes) results.push(await measured(`refused: ${name}`, () => checkShape(shape)))
for (const { name, shape, answers } of dearShapes) {
  results.push(await measured(`asked: ${name}`, () => checkShape(shape)))
  for (const [at, { data }] of answers.entries()) {
    results.push(await measured(`answered: ${name}, ${at + 1}`, () => checkAnswer(shape as JsonSchema, data)))
  }
}

const many = (count: number, of: (at: number) => string) => Array.from({ length: count }, (_, at) => of(at))
const dialect = { choices: 'choices', fields: ['question', 'choices', 'multi', 'other', 'shape'] }
const questions: [string, Json][] = [
  ['50 MB of text', { question: 'x'.repeat(50_000_000) }],
  ['5 million marks', { question: `e${'\u0301'.repeat(5_000_000)}` }],
  ['100,000 long choices', { question: 'x', choices: many(100_000, (at) => `👩\u200D👧${at}`.repeat(40)) }],
]
for (const [name, input] of questions) {
  results.push(await measured(`question: ${name}`, async () => readQuestion(input, dialect)))
}
const call = { kind: 'approval', tool: 'shell', path: [], input: '\u202E'.repeat(87_000) } as never
results.push(await measured('shown: 256 KiB of directions', async () => questionText(call)))

const folder = mkdtempSync(join(tmpdir(), 'querent-gaps-'))
const model = scriptedModel([{ calls: [{ tool: 'question', input: { question: 'Which?', shape: true } }] }])
const engine = createEngine({
  agents: [agent('asker', { model, questions: true })],
  store: sqlite(join(folder, 'q.db')),
})
await engine.start()
const server = createServer(engine, { identify: () => ({ id: 'ann' }), logger: { error: () => undefined } })
const ann = engine.as({ id: 'ann' }).agent('asker')
const { run } = await ann.start('go')
await ann.atRest(run)
const fields = (count: number) => many(count, (at) => `"${at.toString(36)}":1`).join(',')
const bodies: [name: string, action: string, body: string][] = [
  ['420,000 fields', 'approve', `{"step":"question 1.1","data":{${fields(420_000)}}}`],
  ['19,000 fields', 'approve', `{"step":"question 1.1","data":{${fields(19_000)}}}`],
  ['1,400,000 lists', 'approve', `{"step":"question 1.1","data":[${'[],'.repeat(1_390_000)}1]}`],
  ['2 million deep', 'approve', `{"step":"question 1.1","data":${'['.repeat(2_000_000)}`],
  ['4 MB of text', 'approve', `{"step":"question 1.1","data":"${'x'.repeat(4_000_000)}"}`],
  ['400,000 unknown fields', 'approve', `{"step":"question 1.1",${fields(400_000)}}`],
  ['19,000 unknown fields', 'approve', `{"step":"question 1.1",${fields(19_000)}}`],
  ['9,500 wrong parts', 'say', `{"text":[${'{"type":"x"},'.repeat(9_500)}1]}`],
]
for (const [name, action, body] of bodies) {
  const post = async () => {
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://127.0.0.1/api/runs/${run}/${action}`, { method: 'POST', body, headers })
    await (await server.fetch(request)).text()
  }
  results.push(await measured(`body: ${name}`, post))
}
await server.close()
await engine.close()
rmSync(folder, { recursive: true })

results.sort((a, b) => b.busyMs - a.busyMs)
for (const { name, gapMs, busyMs, rssMb } of results.slice(0, 15)) {
  console.log(
    `${busyMs.toFixed(1).padStart(8)} ms busy ${gapMs.toFixed(1).padStart(8)} ms by the wall  ${name}  (${rssMb.toFixed(0)} MB)`,
  )
}
console.log(`${results.length} measured; the longest: ${results[0]?.busyMs.toFixed(1)} ms`)
process.exit(0)
