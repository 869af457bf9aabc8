import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { OpenStores } from '../../src/testing/store-kit/store-case.ts'

/** A new folder for one test, and its removal. */
export async function newFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'querent-store-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Two handles on one new SQLite file. */
export const openSqlite: OpenStores = async (clock) => {
  const { folder, remove } = await newFolder()
  const path = join(folder, 'querent.db')
  const [first, second] = [sqlite(path, { clock }), sqlite(path, { clock })]
  const close = async () => {
    await Promise.all([first.close(), second.close()])
    await remove()
  }
  return { first, second, close }
}
