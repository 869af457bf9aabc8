import { expect, it } from 'vitest'
import { fakeClock } from '../testing/fake-clock.ts'
import { RateLimit } from './rate-limit.ts'

function limit(perMinute: number) {
  const clock = fakeClock()
  const limit = new RateLimit(clock, perMinute, 'starts')
  const may = (person: string) => {
    try {
      limit.take(person)
      return true
    } catch {
      return false
    }
  }
  return { clock, limit, may }
}

it('lets a burst through once, and then as much as flows in', () => {
  const { clock, may } = limit(60)
  expect(Array.from({ length: 61 }, () => may('ann')).lastIndexOf(true)).toBe(59)
  for (let second = 0; second < 100; second++) {
    clock.advance(1000)
    expect([may('ann'), may('ann')]).toEqual([true, false])
  }
  // What is not used is not saved up for longer than a minute.
  clock.advance(24 * 3_600_000)
  expect(Array.from({ length: 61 }, () => may('ann')).lastIndexOf(true)).toBe(59)
})

it('says when the next one is there, to the millisecond', () => {
  const { clock, limit: starts, may } = limit(7)
  for (let count = 0; count < 7; count++) starts.take('ann')
  expect(() => starts.take('ann')).toThrow(expect.objectContaining({ code: 'T0013', data: { retryAfterMs: 8572 } }))
  clock.advance(8571)
  expect(may('ann')).toBe(false)
  clock.advance(1)
  expect(may('ann')).toBe(true)
})

it('forgets who came and went, and keeps who is at the limit', () => {
  const { clock, limit: starts, may } = limit(1)
  for (let person = 0; person < 50_000; person++) {
    starts.take(`person${person}`)
    clock.advance(100)
    if (person === 49_900) starts.take('ann')
  }
  expect(starts.size).toBeLessThanOrEqual(2000)
  expect(may('ann')).toBe(false)
})

it('gives nobody less because a clock was set back', () => {
  let now = 1_000_000
  const starts = new RateLimit({ now: () => now, after: () => () => undefined }, 2, 'starts')
  starts.take('ann')
  now = 0
  starts.take('ann')
  expect(() => starts.take('ann')).toThrow(expect.objectContaining({ code: 'T0013' }))
  now = 30_000
  starts.take('ann')
})
