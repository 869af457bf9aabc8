/**
 * How long each hostile shape and answer holds up the event loop, and what memory is left behind. A script, no test:
 * `npx node --conditions=querent-source test/hostile/gaps.ts`
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { JsonSchema } from '../../src/core/json.ts'
import { checkAnswer } from '../../src/shape/check-answer.ts'
import { checkShape } from '../../src/shape/check-shape.ts'
import { dearShapes, refusedShapes } from './hostile-shapes.ts'

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
results.sort((a, b) => b.busyMs - a.busyMs)
for (const { name, gapMs, busyMs, rssMb } of results.slice(0, 15)) {
  console.log(
    `${busyMs.toFixed(1).padStart(8)} ms busy ${gapMs.toFixed(1).padStart(8)} ms by the wall  ${name}  (${rssMb.toFixed(0)} MB)`,
  )
}
console.log(`${results.length} measured; the longest: ${results[0]?.busyMs.toFixed(1)} ms`)
process.exit(0)
