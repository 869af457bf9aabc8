import { expect, test } from 'vitest'
import { nextTurn } from '../core/ambient.ts'
import { fakeClock } from './fake-clock.ts'

test('what comes due is called in order, at its own instant, timers made on the way included', () => {
  const clock = fakeClock(1000)
  const seen: [string, number][] = []
  clock.after(20, () => seen.push(['b', clock.now()]))
  clock.after(10, () => {
    seen.push(['a', clock.now()])
    clock.after(5, () => seen.push(['a2', clock.now()]))
  })
  const cancel = clock.after(12, () => seen.push(['never', clock.now()]))
  cancel()
  clock.advance(19)
  expect(seen).toEqual([
    ['a', 1010],
    ['a2', 1015],
  ])
  expect(clock.timers).toBe(1)
  clock.advance(1)
  expect(seen.at(-1)).toEqual(['b', 1020])
  expect(clock.now()).toBe(1020)
})

test('what is due at once is called at once, and once, though nobody moves the clock', async () => {
  const clock = fakeClock(1000)
  const seen: string[] = []
  clock.after(0, () => seen.push('now'))
  clock.after(-5, () => seen.push('long ago'))
  clock.after(0, () => seen.push('never'))()
  expect(seen).toEqual([])
  await nextTurn()
  clock.advance(10)
  expect(seen).toEqual(['now', 'long ago'])
})
