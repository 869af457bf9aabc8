import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { answer, done, question, request } from '../script.ts'
import type { Place, System } from '../system.ts'
import { finishOf, log, parkOf, type Statement, settleOf, startOf, tables } from './limit-schema.ts'

/**
 * What Postgres itself allows through `pg`: four small transactions a cycle, statements prepared, sixteen connections.
 * `group`: transactions that arrive together share one, on one connection.
 */
export async function open({ database, script, variant }: Place): Promise<System> {
  const pool = new pg.Pool({ connectionString: database, max: 16 })
  pool.on('error', () => undefined)
  await pool.query(tables)
  const write = variant === 'group' ? groupCommit(pool) : (statements: Statement[]) => transaction(pool, [statements])
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
      const { rows } = await pool.query<{ type: string; data: string }>({ name: 'log', text: log, values: [id] })
      const settled = rows.find((event) => event.type === 'ask.settled')
      script.next(1, JSON.parse(settled?.data ?? '{}').answer)
      await write(finishOf(id, done))
    },
    close: () => pool.end(),
  }
}

/** Statements are sent one behind the other and waited for at the commit: nothing here needs the rows of the one before. */
async function transaction(pool: pg.Pool, members: Statement[][]): Promise<void> {
  const client = await pool.connect()
  try {
    const sent = [client.query('begin'), ...members.flat().map((statement) => send(client, statement))]
    await Promise.all(sent)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function send(client: pg.PoolClient, { text, values, needed }: Statement): Promise<void> {
  const { rowCount } = await client.query({ name: text.slice(0, 60), text, values })
  if (needed && rowCount === 0) throw new Error('It is settled already.')
}

function groupCommit(pool: pg.Pool): (statements: Statement[]) => Promise<void> {
  let next: { members: Statement[][]; done: Promise<void> } | undefined
  let last: Promise<unknown> = Promise.resolve()
  return (statements) => {
    if (!next) {
      const group = { members: [] as Statement[][], done: Promise.resolve() }
      // Whoever comes while the group before is written comes into this one.
      group.done = last.then(() => {
        next = undefined
        return transaction(pool, group.members)
      })
      last = group.done.catch(() => undefined)
      next = group
    }
    next.members.push(statements)
    return next.done
  }
}
