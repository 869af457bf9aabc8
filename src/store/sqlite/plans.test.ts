import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import type { Call, Transition } from '../query.ts'
import type { ListAsks, ListRuns } from '../store.ts'
import { claimRun, listOwners } from '../transitions/claim-run.ts'
import { contextAt } from '../transitions/context.ts'
import { countWork } from '../transitions/count-work.ts'
import { findAsks, listAsks, listRuns, nextDeadline } from '../transitions/lists.ts'
import { expireAsks } from '../transitions/settle-ask.ts'
import { compile } from './connection.ts'

const db = new DatabaseSync(':memory:')
db.exec(readFileSync(new URL('./migrations/0001-first.sql', import.meta.url), 'utf8'))
afterAll(() => db.close())

/** How SQLite finds the rows of each query of a transition, on an empty database. */
function plans(transition: Transition<unknown>): string[] {
  const found: string[] = []
  for (let step = transition.next(); !step.done; step = transition.next([])) found.push(planOf(step.value))
  return found
}

function planOf(call: Call): string {
  const { sql, fill } = compile(call.query)
  const rows = db.prepare(`explain query plan ${sql}`).all(...fill(call.values))
  return rows.map((row) => row.detail).join('; ')
}

const ann = { type: 'person', id: 'ann' } as const
const context = contextAt(1)

describe('lists of runs are read from an index, in its order', () => {
  const lists: [ListRuns, string][] = [
    [{}, 'INTEGER PRIMARY KEY'],
    [{ starter: ann }, 'INDEX runs_of_starter'],
    [{ starter: ann, active: true }, 'INDEX runs_active_of_starter'],
    [{ starter: ann, status: 'waiting' }, 'INDEX runs_active_of_starter'],
    [{ starter: ann, status: 'done' }, 'INDEX runs_of_starter'],
    [{ active: true }, 'INDEX runs_active'],
    [{ status: 'waiting' }, 'INDEX runs_active'],
    [{ status: 'failed' }, 'INDEX runs_over'],
  ]
  for (const [list, index] of lists) {
    test(JSON.stringify(list), () => {
      const [plan] = plans(listRuns(list))
      expect(plan).toContain(`${index} (`)
      expect(plan).not.toContain('TEMP B-TREE')
    })
  }
})

test('the run of a key is found by the key, not among all runs of its starter', () => {
  const [plan] = plans(listRuns({ starter: ann, agent: 'a', key: 'k', active: true }))
  expect(plan).toContain('INDEX sqlite_autoindex_runs_1 (id=?')
  expect(plan).toContain('SEARCH keys USING PRIMARY KEY (scope=? AND key=?)')
})

describe('lists of asks are read from an index', () => {
  const lists: [ListAsks, string][] = [
    [{}, 'INDEX asks_open ('],
    [{ starter: ann }, 'INDEX asks_open_of_starter ('],
    [{ run: 'r' }, 'INDEX asks_of_step (run=?)'],
    [{ run: 'r', starter: ann }, 'INDEX asks_of_step (run=?)'],
    [{ run: 'r', open: false }, 'INDEX asks_of_step (run=?)'],
  ]
  for (const [list, index] of lists) {
    test(JSON.stringify(list), () => {
      const [plan] = plans(listAsks(1, list))
      expect(plan).toContain(index)
      expect(plan).not.toMatch(/SCAN (asks|owners|roots)/)
      // Only the few asks of one run are sorted.
      if (list.run === undefined) expect(plan).not.toContain('TEMP B-TREE')
    })
  }

  test('those of a step, and the nearest deadline', () => {
    expect(plans(findAsks('r', 's'))[0]).toContain('INDEX asks_of_step (run=? AND step=?)')
    expect(plans(nextDeadline())[0]).toContain('COVERING INDEX asks_open')
    expect(plans(expireAsks(context, 10))[0]).toContain('INDEX asks_open (')
  })
})

test('figures of the whole store are counted from the indexes of what is open and due', () => {
  const [asks, asking, ready, working] = plans(countWork(1))
  expect(asks).toMatch(/^SEARCH asks USING COVERING INDEX asks_open \(until_at>\?\)$/)
  expect(asking).toBe('SCAN asks USING COVERING INDEX asks_open_of_owner')
  for (const due of [ready, working]) expect(due).toMatch(/^SEARCH runs USING COVERING INDEX runs_due \(status=\?\)$/)
})

test('a claim looks at the index of what is due, never at other runs', () => {
  const owner = { id: 'o', host: 'h', pid: 1, bornAt: '' }
  const found = plans(claimRun(context, { owner, leaseMs: 1, agents: ['a', 'b'], dead: ['x'] }))
  expect(found).toHaveLength(6)
  for (const plan of found)
    expect(plan).toMatch(/^SEARCH runs USING (COVERING )?INDEX runs_due \(status=\? AND agent=\? AND due_at[<>]\?/)
  expect(plans(listOwners('h'))[0]).toContain('INDEX runs_due (status=?)')
})
