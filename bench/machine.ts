import { cpus, release, totalmem, type } from 'node:os'
import type { PostgresServer } from './postgres-server.ts'

/** What the figures hold for. */
export function machineOf(postgres: PostgresServer | undefined) {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    system: `${type()} ${release()}`,
    cores: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memoryGb: Math.round(totalmem() / 1e9),
    sqlite: process.versions.sqlite,
    ...(postgres ? { postgres: postgres.version } : {}),
  }
}
