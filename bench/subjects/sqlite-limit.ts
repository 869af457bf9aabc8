import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { answer, done, question, request } from '../script.ts'
import type { Place, System } from '../system.ts'
import { finishOf, log, parkOf, type Statement, settleOf, startOf, tables } from './limit-schema.ts'

/**
 * What SQLite itself allows: four small transactions a cycle, with nothing around them. `relaxed`: synchronous = NORMAL.
 * `group`: transactions that arrive together share a commit.
 */
export async function open({ folder, script, variant }: Place): Promise<System> {
  const db = new DatabaseSync(join(folder, 'limit.db'))
  db.exec(
    `pragma journal_mode = wal; pragma synchronous = ${variant.includes('relaxed') ? 'normal' : 'full'}; ${tables}`,
  )
  const { run, read } = statementsOf(db)
  const write = variant.includes('group') ? groupCommit(db, run) : singleCommits(db, run)
  return {
    async start() {
      const id = randomUUID()
      await write(startOf(id, request))
      script.next(0, undefined)
      await write(parkOf(id, question))
      return id
    },
    async answer(id) {
      await write(settleOf(id, answer))
      const settled = read(id).find((event) => event.type === 'ask.settled')
      script.next(1, JSON.parse(settled?.data ?? '{}').answer)
      await write(finishOf(id, done))
    },
    close: async () => db.close(),
  }
}

function statementsOf(db: DatabaseSync) {
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string) => {
    const known = prepared.get(text) ?? db.prepare(text.replace(/\$(\d)/g, '?$1'))
    prepared.set(text, known)
    return known
  }
  return {
    run(statements: Statement[]) {
      for (const { text, values, needed } of statements) {
        const rows = prepare(text).all(...values)
        if (needed && rows.length === 0) throw new Error('It is settled already.')
      }
    },
    read: (id: string) => prepare(log).all(id) as { type: string; data: string }[],
  }
}

type Write = (statements: Statement[]) => Promise<void>

function singleCommits(db: DatabaseSync, run: (statements: Statement[]) => void): Write {
  return async (statements) => {
    db.exec('begin immediate')
    try {
      run(statements)
      db.exec('commit')
    } catch (error) {
      db.exec('rollback')
      throw error
    }
  }
}

/** Those that arrive in one breath share a commit; each is acknowledged after it. */
function groupCommit(db: DatabaseSync, run: (statements: Statement[]) => void): Write {
  let waiting: { statements: Statement[]; resolve(): void; reject(error: unknown): void }[] = []
  const commit = () => {
    const members = waiting
    waiting = []
    const ends: (() => void)[] = []
    db.exec('begin immediate')
    for (const member of members) {
      db.exec('savepoint member')
      try {
        run(member.statements)
        ends.push(member.resolve)
      } catch (error) {
        db.exec('rollback to member')
        ends.push(() => member.reject(error))
      }
      db.exec('release member')
    }
    db.exec('commit')
    for (const end of ends) end()
  }
  return (statements) =>
    new Promise((resolve, reject) => {
      waiting.push({ statements, resolve, reject })
      if (waiting.length === 1) setImmediate(commit)
    })
}
