import { expect, test } from 'vitest'
import { randomId } from '../../src/core/ambient.ts'
import { ask, asker, helperOf, world } from '../engine/world.ts'

test('an id has 160 random bits: 32 places, each of which takes all of 32 signs, and none comes twice', () => {
  const ids = Array.from({ length: 2000 }, () => randomId('ask').slice('ask_'.length))
  expect(new Set(ids).size).toBe(ids.length)
  for (let place = 0; place < 32; place++) {
    // That a sign is missing from one of the places by chance has odds of one to 10^24.
    expect(new Set(ids.map((id) => id[place])).size, `place ${place}`).toBe(32)
  }
})

test('runs and asks have such ids, and nothing of one says what another is', async () => {
  const { open } = world()
  const engine = await open(asker([{ calls: [ask('Size?'), ask('Colour?')] }]).agents)
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('hi')
  const { asks } = await ann.atRest(run)
  const ids = [run, ...asks.map(({ id }) => id)]
  for (const id of ids) expect(id).toMatch(/^(run|ask)_[0-9a-hjkmnp-z]{32}$/)
  for (const [index, id] of ids.entries()) {
    for (const other of ids.slice(index + 1)) expect(commonStart(id.slice(4), other.slice(4))).toBeLessThan(8)
  }
})

function commonStart(a: string, b: string): number {
  let length = 0
  while (a[length] === b[length]) length++
  return length
}
