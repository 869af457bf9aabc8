import { expect, test } from 'vitest'
import { nextTurn } from '../../core/ambient.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { untilFree } from './until-free.ts'

function busy(): Error {
  return Object.assign(new Error('database is locked'), { errcode: 5 })
}

/** Fails as busy `times` times, then gives 'done'. */
function busyFor(times: number): { attempt(): string; tries(): number } {
  let tries = 0
  const attempt = () => {
    tries += 1
    if (tries <= times) throw busy()
    return 'done'
  }
  return { attempt, tries: () => tries }
}

/** Moves the clock until the promise is settled. */
async function settled<T>(clock: ReturnType<typeof fakeClock>, promise: Promise<T>): Promise<T> {
  let over = false
  const end = () => {
    over = true
  }
  promise.then(end, end)
  while (!over) {
    clock.advance(5)
    await nextTurn()
  }
  return promise
}

test('a free file is written at once, without a timer', async () => {
  const clock = fakeClock()
  const { attempt, tries } = busyFor(0)
  expect(await untilFree('f', attempt, clock)).toBe('done')
  expect(tries()).toBe(1)
  expect(clock.timers).toBe(0)
})

test('a busy file is tried again until it is free', async () => {
  const clock = fakeClock()
  const { attempt, tries } = busyFor(30)
  expect(await settled(clock, untilFree('f', attempt, clock))).toBe('done')
  expect(tries()).toBe(31)
})

test('after ten seconds it says who is to blame', async () => {
  const clock = fakeClock()
  const startedAt = clock.now()
  const waiting = untilFree('/data/q.db', busyFor(Number.POSITIVE_INFINITY).attempt, clock)
  await expect(settled(clock, waiting)).rejects.toThrow(/"\/data\/q\.db" was busy for 10 seconds: another process/)
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual(10_000)
})

test('another error comes through, first or later', async () => {
  const clock = fakeClock()
  const broken = () => {
    throw new Error('broken')
  }
  await expect(untilFree('f', broken, clock)).rejects.toThrow('broken')
  let tries = 0
  const later = () => {
    tries += 1
    throw tries < 3 ? busy() : new Error('broken later')
  }
  await expect(settled(clock, untilFree('f', later, clock))).rejects.toThrow('broken later')
})

test('while it waits the process is kept alive, and not after', async () => {
  const clock = fakeClock()
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = timers()
  const waiting = untilFree('f', busyFor(3).attempt, clock)
  expect(timers()).toBe(before + 1)
  await settled(clock, waiting)
  expect(timers()).toBe(before)
})
