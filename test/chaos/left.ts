import type { RunEvent, RunStatus } from 'querent'
import type { Store } from 'querent/testing'
import type { AskRow } from '../../src/store/store.ts'
import { onDatabase } from '../setup/postgres-server.ts'
import { type Effect, type Notice, type Prompt, type Told, tracesIn } from './traces.ts'

/** A run as it was left, with its log. */
export interface LeftRun {
  id: string
  agent: string
  status: RunStatus
  fence: number
  lastSeq: number
  log: RunEvent[]
}

/** All that is left when nobody works any more: in the database, and beside it. */
export interface Left {
  runs: LeftRun[]
  asks: AskRow[]
  mail: number
  effects: Effect[]
  prompts: Prompt[]
  told: Told[]
  notices: Notice[]
}

export async function leftIn(store: Store, url: string, folder: string): Promise<Left> {
  const { effects, prompts, told, notices } = tracesIn(folder)
  const runs: LeftRun[] = []
  for (const { id } of await onDatabase(url, 'select id from querent.runs order by number')) {
    const row = await store.getRun(String(id))
    if (!row) throw new Error(`The run ${id} is there, and cannot be read.`)
    const { agent, status, fence, lastSeq } = row
    runs.push({ id: row.id, agent, status, fence, lastSeq, log: await store.readEvents(row.id, 0) })
  }
  const asks: AskRow[] = []
  for (const { id } of await onDatabase(url, 'select id from querent.asks order by number')) {
    const ask = await store.getAsk(String(id))
    if (ask) asks.push(ask)
  }
  const [mail] = await onDatabase(url, 'select count(*)::integer as count from querent.mail')
  const beside = { effects: effects.all(), prompts: prompts.all(), told: told.all(), notices: notices.all() }
  return { runs, asks, mail: Number(mail?.count), ...beside }
}
