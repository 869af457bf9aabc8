import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** `npm run bench`, on the sources. */
async function bench(...options: string[]) {
  const args = ['--conditions=querent-source', 'bench/main.ts', ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [printed, said, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { printed, said, status }
}

test('a quick run measures what it is asked for, and prints it beside its limit', async () => {
  const { printed, said, status } = await bench('--quick', '--only', 'sqlite-full', 'querent')
  expect(status, said).toBe(0)
  const lines = printed.split('\n')
  const cellsOf = (name: string) => lines.find((line) => line.includes(`\`${name}\``))?.split(' | ') ?? []
  const [p50Ms, p95Ms, byLimit] = cellsOf('querent').slice(2, 5).map(Number)
  expect(p50Ms).toBeGreaterThan(0)
  expect(p95Ms).toBeGreaterThanOrEqual(p50Ms ?? 0)
  expect(byLimit).toBeGreaterThan(0)
  expect(cellsOf('sqlite-full')).toHaveLength(cellsOf('querent').length)
  expect(printed).not.toContain('not measured')
  // Of two answers at once one counted, and the model was called for it alone.
  const [, calls, accepted] = printed.match(/\*\*Querent\*\*, SQLite \| (\S+) \| (\S+) \|/) ?? []
  expect([calls, accepted]).toEqual(['1', '1'])
})

test('a name that is not there is said, with those that are', async () => {
  const { said, status } = await bench('--only', 'sqlite-fool')
  expect(status).toBe(1)
  expect(said).toContain('There is no "sqlite-fool".')
  expect(said).toContain('sqlite-full')
})
