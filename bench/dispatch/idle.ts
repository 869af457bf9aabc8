/**
 * What sixteen idle workers ask of Postgres because one other process writes once:
 * `node --conditions querent-source bench/dispatch/idle.ts`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { agent, createEngine } from 'querent'
import { postgres } from 'querent/postgres'
import { scriptedModel } from 'querent/testing'
import { systemClock } from '../../src/core/ambient.ts'
import { newRun } from '../../src/testing/store-kit/fixtures.ts'
import { startPostgres } from '../postgres-server.ts'
import { countedQueries } from './count-queries.ts'

const workers = 16
/** Long enough for all that follows from one write, and shorter than the next beat of the connections that listen. */
const quietMs = 2000

const server = await startPostgres()
try {
  const url = await server.createDatabase('idle')
  // They look when they are told of something, and at no other time.
  const clock = { now: systemClock.now, after: () => () => undefined }
  const agents = [agent('asker', { model: scriptedModel([]) })]
  const engines = Array.from({ length: workers }, () => createEngine({ agents, store: postgres(url), clock }))
  for (const engine of engines) await engine.start()
  const other = postgres(url)
  await other.createRun(newRun({ agent: 'nobody has it' }))
  await pause(quietMs)
  const before = countedQueries()
  await other.createRun(newRun({ agent: 'nobody has it' }))
  await pause(quietMs)
  console.log(`${countedQueries() - before} statements, of ${workers} idle workers and of the write itself`)
  for (const engine of engines) await engine.close()
  await other.close()
} finally {
  await server.stop()
}
