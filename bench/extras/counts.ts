/**
 * What a cycle asks of SQLite, one at a time: how often each transition runs, and how many statements it is. Counted by
 * standing between the engine, the store and `node:sqlite`; the sources know nothing of it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { EngineOptions } from 'querent'
import { sqlite } from 'querent/sqlite'
import type { Figures } from '../phase.ts'
import { Script } from '../script.ts'
import { fakeModel } from '../subjects/fake-model.ts'
import { openOn } from '../subjects/querent.ts'

const cycles = 50

type Store = EngineOptions['store']

/** Methods that read: they begin no transaction. */
const reads = new Set<string>([
  'getRun',
  'getAsk',
  'findAsks',
  'readEvents',
  'listRuns',
  'listAsks',
  'untilDeadline',
  'listClaims',
  'listOwners',
  'readyAgents',
  'countWork',
])
const counts = new Map<string, number>()
const waiting: string[] = []
let current: string | undefined
let begun = false
let counting = false

function count(name: string): void {
  if (counting) counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** The order in which transitions are asked for is the order in which they run. */
function watched(store: Store): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || ['onChange', 'close', 'migrate'].includes(name)) return method
      return (...values: never[]) => {
        count(reads.has(name) ? `read ${name}` : name)
        if (!reads.has(name)) waiting.push(name)
        return (method as (...values: never[]) => unknown).apply(target, values)
      }
    },
  })
}

function watchStatements(): void {
  const prepare = DatabaseSync.prototype.prepare
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string) {
    const statement = prepare.call(this, sql)
    const all = statement.all.bind(statement)
    statement.all = ((...values: never[]) => {
      note(sql)
      return all(...values)
    }) as StatementSync['all']
    return statement
  }
}

/** One alone in its commit has no savepoint of its own. */
function note(sql: string): void {
  if (sql === 'begin immediate') {
    count(`sql ${sql}`)
    begun = true
    return
  }
  if (sql === 'savepoint member' || begun) current = waiting.shift()
  begun = false
  if (sql === 'commit') count(`sql ${sql}`)
  if (sql === 'commit' || sql === 'release member') current = undefined
  else if (!sql.startsWith('pragma') && sql !== 'savepoint member') count(`sql of ${current ?? 'reads'}`)
}

async function measure(): Promise<Figures> {
  watchStatements()
  const folder = mkdtempSync(join(tmpdir(), 'querent-bench-counts-'))
  try {
    const system = await openOn(watched(sqlite(join(folder, 'querent.db'))), fakeModel(new Script(1)))
    for (let i = 0; i < 5; i++) await system.answer(await system.start(), 1)
    counting = true
    for (let i = 0; i < cycles; i++) await system.answer(await system.start(), 1)
    counting = false
    await system.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)).map(([name, n]) => [name, n / cycles]))
}

console.log(JSON.stringify({ figures: await measure() }))
process.exit(0)
