/* The least that the work needs: three tables, and four transactions for each cycle. The same on both databases. */

export const tables = `
  create table if not exists runs (id text primary key, status text not null, seq integer not null);
  create table if not exists events (run text not null, seq integer not null, type text not null, data text not null,
    primary key (run, seq));
  create table if not exists asks (id text primary key, run text not null, state text not null, answer text);
`

/** One statement with its values. `$1`… on Postgres, `?` on SQLite. */
export interface Statement {
  text: string
  values: (string | number)[]
  /** The transaction is off where it changes or finds no row. */
  needed?: true
}

const insertEvent = 'insert into events values ($1, $2, $3, $4)'

export function startOf(run: string, input: string): Statement[] {
  return [
    { text: "insert into runs values ($1, 'working', 1)", values: [run] },
    { text: insertEvent, values: [run, 1, 'run.started', JSON.stringify({ input })] },
  ]
}

export function parkOf(run: string, question: unknown): Statement[] {
  return [
    { text: insertEvent, values: [run, 2, 'model.replied', JSON.stringify({ question })] },
    { text: "insert into asks values ($1, $1, 'open', null)", values: [run] },
    { text: "update runs set status = 'waiting', seq = 2 where id = $1 and status = 'working'", values: [run] },
  ]
}

export function settleOf(run: string, answer: string): Statement[] {
  return [
    {
      text: "update asks set state = 'approved', answer = $2 where id = $1 and state = 'open' returning run",
      values: [run, answer],
      needed: true,
    },
    { text: insertEvent, values: [run, 3, 'ask.settled', JSON.stringify({ answer })] },
    { text: "update runs set status = 'working', seq = 3 where id = $1", values: [run] },
  ]
}

export function finishOf(run: string, text: string): Statement[] {
  return [
    { text: insertEvent, values: [run, 4, 'model.replied', JSON.stringify({ text })] },
    { text: insertEvent, values: [run, 5, 'run.finished', '{}'] },
    { text: "update runs set status = 'done', seq = 5 where id = $1 and status = 'working'", values: [run] },
  ]
}

export const log = 'select seq, type, data from events where run = $1 order by seq'
