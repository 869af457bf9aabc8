import { expect, test } from 'vitest'
import { askPath, placeOf, runPath } from './places.ts'

test.each([
  ['/', { page: 'inbox' }],
  ['', { page: 'inbox' }],
  ['/asks/ask_1', { page: 'inbox', ask: 'ask_1' }],
  ['/asks', { page: 'unknown' }],
  ['/runs', { page: 'runs' }],
  ['/runs/', { page: 'runs' }],
  ['/runs/run_1', { page: 'runs', run: 'run_1' }],
  ['/runs/run_1/more', { page: 'unknown' }],
  ['/new', { page: 'new' }],
  ['/new/x', { page: 'unknown' }],
  ['/elsewhere', { page: 'unknown' }],
  ['/runs/%', { page: 'unknown' }],
])('%s leads to %j', (path, place) => {
  expect(placeOf(path)).toEqual(place)
})

test('ids come back from their addresses whatever is in them', () => {
  for (const id of ['run_1', 'a/b', 'a?b#c', 'ä %2F']) {
    expect(placeOf(runPath(id))).toEqual({ page: 'runs', run: id })
    const [path = '', search] = askPath({ id, run: id }).split('?')
    expect(placeOf(path, search)).toEqual({ page: 'inbox', ask: id, run: id })
  }
})
