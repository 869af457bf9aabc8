import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../core/ambient.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { Changes } from './changes.ts'
import type { Connection } from './connection.ts'

/** As much of a connection as is asked for here: the version of the data, which another process may raise. */
let version: number | undefined
let clock: ReturnType<typeof fakeClock>
let changes: Changes

beforeEach(() => {
  version = 1
  clock = fakeClock()
  vi.spyOn(systemClock, 'after').mockImplementation((delayMs, callback) => clock.after(delayMs, callback))
  const execute = () => {
    if (version === undefined) throw new Error('disk I/O error')
    return [{ data_version: version }]
  }
  changes = new Changes(() => ({ execute }) as unknown as Connection)
})

afterEach(() => {
  changes.close()
  vi.restoreAllMocks()
})

test('a write of another process is told within 100 ms, once', () => {
  const heard: string[] = []
  changes.listen((run) => heard.push(run))
  clock.advance(1000)
  expect(heard).toEqual([])
  version = 2
  clock.advance(100)
  expect(heard).toEqual(['*'])
  clock.advance(1000)
  expect(heard).toEqual(['*'])
})

test('there is a timer while somebody listens, and none else', () => {
  expect(clock.timers).toBe(0)
  const stops = [changes.listen(() => {}), changes.listen(() => {})]
  expect(clock.timers).toBe(1)
  clock.advance(500)
  stops[0]?.()
  stops[0]?.()
  expect(clock.timers).toBe(1)
  stops[1]?.()
  expect(clock.timers).toBe(0)
  changes.listen(() => {})
  expect(clock.timers).toBe(1)
  changes.close()
  expect(clock.timers).toBe(0)
})

test('what happened while nobody listened is no news', () => {
  changes.listen(() => {})()
  version = 7
  const heard: string[] = []
  changes.listen((run) => heard.push(run))
  clock.advance(1000)
  expect(heard).toEqual([])
})

test('a file that cannot be read for a while costs a hint too many, never one too few', () => {
  const heard: string[] = []
  changes.listen((run) => heard.push(run))
  version = undefined
  clock.advance(200)
  expect(heard).toEqual([])
  version = 1
  clock.advance(200)
  expect(heard).toEqual(['*'])
})

test('the same function may listen twice', () => {
  const heard: string[] = []
  const listener = (run: string) => heard.push(run)
  const stop = changes.listen(listener)
  changes.listen(listener)
  changes.tell(['a'])
  stop()
  changes.tell(['b'])
  expect(heard).toEqual(['a', 'a', 'b'])
})
