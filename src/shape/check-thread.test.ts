import { afterEach, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../core/ambient.ts'
import type { Json } from '../core/json.ts'
import { checkAnswer } from './check-answer.ts'
import { createCheckThread, notChecked, notInTime } from './check-thread.ts'

/** A clock that moves by hand: its deadlines come when a test says so. */
function handClock() {
  const waits: { delayMs: number; callback: () => void }[] = []
  let arrived = () => {}
  const clock: Clock = {
    now: () => 0,
    after(delayMs, callback) {
      waits.push({ delayMs, callback })
      arrived()
      return () => {}
    },
  }
  /** Resolves when something waits this long. */
  const waitOf = async (delayMs: number) => {
    for (;;) {
      const found = waits.find((wait) => wait.delayMs === delayMs)
      if (found) return found
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
  }
  return { clock, waitOf }
}

const thread = createCheckThread()
afterEach(() => thread.end())

const system = { clock: systemClock, deadlineMs: 20_000 }
/** A developer's pattern on the native engine: it would run for longer than the universe is old. */
const endless = { schema: { pattern: '^(a+)+(?!x)$' }, data: `${'a'.repeat(60)}!` }
const simple = { schema: { type: 'integer' }, data: 'x' }
const misfit = [{ path: '', message: 'must be a whole number' }]

describe('the worker', () => {
  test('checks as it is checked in place, one after the other', async () => {
    const requests = Array.from({ length: 5 }, (_, i) => thread.check({ schema: { const: i }, data: 3 }, system))
    expect((await Promise.all(requests)).map((issues) => issues.length)).toEqual([1, 1, 1, 0, 1])
  })

  test('is ended at its deadline, and what waited behind is checked by another one', async () => {
    const { clock, waitOf } = handClock()
    const stuck = thread.check(endless, { clock, deadlineMs: 7 })
    const behind = thread.check(simple, system)
    const deadline = await waitOf(7)
    deadline.callback()
    expect(await stuck).toEqual([notInTime])
    expect(await behind).toEqual(misfit)
  })

  test('counts the deadline from when it begins: loading and waiting have their own', async () => {
    const { clock, waitOf } = handClock()
    const issues = thread.check(simple, { clock, deadlineMs: 7 })
    expect((await waitOf(30_000)).delayMs).toBe(30_000)
    expect(await issues).toEqual(misfit)
  })

  test('a deadline that comes too late does nothing', async () => {
    const { clock, waitOf } = handClock()
    expect(await thread.check(simple, { clock, deadlineMs: 7 })).toEqual(misfit)
    const deadline = await waitOf(7)
    deadline.callback()
    expect(await thread.check(simple, system)).toEqual(misfit)
  })

  test('ended in the middle, nothing unchecked gets through', async () => {
    const { clock, waitOf } = handClock()
    const stuck = thread.check(endless, { clock, deadlineMs: 7 })
    await waitOf(7)
    await thread.end()
    expect(await stuck).toEqual([notChecked])
  })
})

test('what cannot be sent is not let through, and the worker goes on', async () => {
  const data: { [key: string]: Json } = {}
  data.self = data
  expect(await thread.check({ schema: true, data }, system)).toEqual([notChecked])
  expect(await thread.check(simple, system)).toEqual(misfit)
})

test('an answer that is wrong in half a million places is given up before it fills the memory', async () => {
  const schema = { items: { allOf: Array.from({ length: 20 }, () => ({ type: 'string' })) } }
  const list = (length: number) => Array.from({ length }, () => 1)
  expect(await thread.check({ schema, data: list(26_000) }, system)).toEqual([notChecked])
  expect(await thread.check({ schema, data: list(100) }, system)).toHaveLength(20)
})

test('checkAnswer takes it for what the estimate finds large, with the real clock', async () => {
  const issues = await checkAnswer(endless.schema, endless.data, { thread, deadlineMs: 50 })
  expect(issues).toEqual([notInTime])
})
