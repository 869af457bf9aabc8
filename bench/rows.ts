import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is measured side by side. */
export interface Row {
  /** For `--only`. */
  name: string
  title: string
  kind: 'limit' | 'ours' | 'peer'
  /** The module that does the work, from this folder. */
  subject: string
  variant?: string
  /** A database of its own on a Postgres server. */
  postgres?: true
  /** What an acknowledged write survives: a power cut (`full`), or the end of the process only (`relaxed`). */
  durability: 'full' | 'relaxed' | 'none'
  /** How it comes by that, in its own terms. */
  how: string
  /** The limits it stands beside: one at a time, and at 16 at once. */
  limits?: [alone: string, together: string]
  /** Packages whose versions are told, looked for beside the subject and then in the root. */
  packages?: string[]
  /** There is no second handle that shares nothing in memory; said in the table. */
  oneHandle?: true
  /** Only the cycle: it keeps nothing, or its figures say nothing beside the others'. */
  cycleOnly?: true
  /** More to know, below the table. */
  note?: string
}

const limit = (row: Pick<Row, 'name' | 'title' | 'durability' | 'how'> & Partial<Row>): Row => ({
  kind: 'limit',
  cycleOnly: true,
  subject: row.postgres ? 'subjects/postgres-limit.ts' : 'subjects/sqlite-limit.ts',
  ...row,
})
const sqliteFull: Row['limits'] = ['sqlite-full', 'sqlite-full-group']
const sqliteRelaxed: Row['limits'] = ['sqlite-relaxed', 'sqlite-relaxed-group']
const postgresFull: Row['limits'] = ['postgres-full', 'postgres-full-group']
const full = 'synchronous = FULL'
const normal = 'synchronous = NORMAL'
const commit = 'synchronous_commit = on'

const limits: Row[] = [
  limit({ name: 'sqlite-full', title: 'SQLite, four transactions', durability: 'full', how: full }),
  limit({
    name: 'sqlite-full-group',
    title: 'SQLite, four transactions, group commit',
    variant: 'group',
    durability: 'full',
    how: full,
  }),
  limit({
    name: 'sqlite-relaxed',
    title: 'SQLite, four transactions',
    variant: 'relaxed',
    durability: 'relaxed',
    how: normal,
  }),
  limit({
    name: 'sqlite-relaxed-group',
    title: 'SQLite, four transactions, group commit',
    variant: 'relaxed-group',
    durability: 'relaxed',
    how: normal,
  }),
  limit({
    name: 'postgres-full',
    title: 'Postgres, four transactions',
    postgres: true,
    durability: 'full',
    how: commit,
    packages: ['pg'],
  }),
  limit({
    name: 'postgres-full-group',
    title: 'Postgres, four transactions, group commit',
    variant: 'group',
    postgres: true,
    durability: 'full',
    how: commit,
  }),
  {
    name: 'ai-sdk-alone',
    title: 'AI SDK alone: two calls of a fake model',
    kind: 'limit',
    subject: 'subjects/ai-sdk-alone.ts',
    durability: 'none',
    how: 'keeps nothing',
    packages: ['ai'],
    oneHandle: true,
    cycleOnly: true,
  },
]

const ours: Row[] = [
  {
    name: 'querent',
    title: '**Querent**, SQLite',
    kind: 'ours',
    subject: 'subjects/querent.ts',
    durability: 'full',
    how: full,
    limits: sqliteFull,
  },
  {
    name: 'querent-one-engine',
    title: '**Querent**, SQLite, one engine',
    kind: 'ours',
    subject: 'subjects/querent.ts',
    durability: 'full',
    how: full,
    limits: sqliteFull,
    oneHandle: true,
    cycleOnly: true,
    note: 'The same engine starts and answers, as in a server of one process. A run that waits is in no memory of it either.',
  },
  {
    name: 'querent-ai-sdk',
    title: '**Querent**, SQLite, AI SDK adapter',
    kind: 'ours',
    subject: 'subjects/querent.ts',
    variant: 'ai-sdk',
    durability: 'full',
    how: full,
    limits: sqliteFull,
    packages: ['ai'],
    cycleOnly: true,
  },
  {
    name: 'querent-relaxed',
    title: "**Querent**, SQLite, `durability: 'relaxed'`",
    kind: 'ours',
    subject: 'subjects/querent.ts',
    variant: 'relaxed',
    durability: 'relaxed',
    how: normal,
    limits: sqliteRelaxed,
    cycleOnly: true,
  },
  {
    name: 'querent-postgres',
    title: '**Querent**, Postgres',
    kind: 'ours',
    subject: 'subjects/querent-postgres.ts',
    postgres: true,
    durability: 'full',
    how: commit,
    limits: postgresFull,
    packages: ['pg'],
  },
]

const langgraph = ['@langchain/langgraph', '@langchain/langgraph-checkpoint-sqlite']

const peers: Row[] = [
  {
    name: 'openai-agents',
    title: 'OpenAI Agents SDK, its state in SQLite',
    kind: 'peer',
    subject: 'peers/openai-agents/subject.ts',
    durability: 'full',
    how: full,
    limits: sqliteFull,
    packages: ['@openai/agents'],
    note: 'The SDK has no store: its `RunState` stands in a table of ours, a row for each run, four writes a cycle. That a second answer is refused is that table’s doing.',
  },
  {
    name: 'langgraph-sqlite',
    title: 'LangGraph, SQLite saver, as it comes',
    kind: 'peer',
    subject: 'peers/langgraph/subject.ts',
    durability: 'relaxed',
    how: `durability 'async', ${normal}`,
    limits: sqliteRelaxed,
    packages: langgraph,
    note: 'The saver runs on `node:sqlite` in the interface of better-sqlite3: the latter is a native module that not every machine can build.',
  },
  {
    name: 'langgraph-sqlite-sync',
    title: 'LangGraph, SQLite saver, sync',
    kind: 'peer',
    subject: 'peers/langgraph/subject.ts',
    variant: 'sync',
    durability: 'full',
    how: `durability 'sync', ${full}`,
    limits: sqliteFull,
    packages: langgraph,
  },
  {
    name: 'langgraph-postgres',
    title: 'LangGraph, Postgres saver, sync',
    kind: 'peer',
    subject: 'peers/langgraph/subject.ts',
    variant: 'postgres',
    postgres: true,
    durability: 'full',
    how: `durability 'sync', ${commit}`,
    limits: postgresFull,
    packages: ['@langchain/langgraph', '@langchain/langgraph-checkpoint-postgres'],
  },
  {
    name: 'mastra',
    title: 'Mastra agent, suspend and resume, LibSQL',
    kind: 'peer',
    subject: 'peers/mastra/subject.ts',
    durability: 'relaxed',
    how: normal,
    limits: sqliteRelaxed,
    packages: ['@mastra/core', '@mastra/libsql'],
    note: 'LibSQL as Mastra opens it: WAL, synchronous = NORMAL.',
  },
  {
    name: 'dbos',
    title: 'DBOS, send and recv, Postgres',
    kind: 'peer',
    subject: 'peers/dbos/subject.ts',
    postgres: true,
    durability: 'full',
    how: commit,
    limits: postgresFull,
    packages: ['@dbos-inc/dbos-sdk'],
    note: 'One DBOS in a process: the second handle is a `DBOSClient`. A workflow that waits stays in memory there and goes on from it; the store is read after a restart only.',
  },
  {
    name: 'restate',
    title: 'Restate, a promise of a workflow',
    kind: 'peer',
    subject: 'peers/restate/subject.ts',
    durability: 'full',
    how: 'its own log, fsync as it comes',
    packages: ['@restatedev/restate-server', '@restatedev/restate-sdk'],
    note: 'A server of its own beside the process; both handles are HTTP clients of it.',
  },
]

export const rows: Row[] = [...limits, ...ours, ...peers]

/** The installed versions of a row's packages, or which of them is not installed. */
export function versionsOf(row: Row, bench: string): { versions: Record<string, string>; missing?: string } {
  const versions: Record<string, string> = {}
  for (const name of row.packages ?? []) {
    const places = [join(bench, row.subject, '..'), join(bench, '..')]
    const file = places.map((place) => join(place, 'node_modules', name, 'package.json')).find(existsSync)
    if (file === undefined) return { versions, missing: name }
    versions[name] = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  }
  return { versions }
}
