import { randomBytes } from 'node:crypto'
import { afterAll, inject } from 'vitest'
import { onDatabase, urlOf } from './postgres-server.ts'

/** A place for a test's own tables, in the database of the run: quicker to make than a database. */
export interface TestSchema {
  url: string
  schema: string
  /** Removes it with all that is in it. */
  drop(): Promise<void>
}

export function newSchema(): TestSchema {
  const url = inject('postgres')
  const schema = newName()
  return { url, schema, drop: () => dropSchemas(url, [schema]) }
}

/** Schemas of this file that nobody uses just now, empty and at our schema. */
const free: string[] = []
const made = new Set<string>()

afterAll(async () => {
  if (made.size > 0) await dropSchemas(inject('postgres'), [...made])
})

/** As `newSchema`, for tests that leave the tables as they are: to empty them is quicker than to make them. */
export function borrowSchema(): TestSchema {
  const url = inject('postgres')
  const schema = free.pop() ?? newName()
  made.add(schema)
  return {
    url,
    schema,
    async drop() {
      const tables = await onDatabase(url, `select tablename from pg_tables where schemaname = '${schema}'`)
      const kept = tables.map(({ tablename }) => tablename).filter((name) => name !== 'migrations')
      // Not cleared where nobody came to make it, or a test has been at the tables.
      if (kept.length < 8) return
      await onDatabase(url, kept.map((name) => `delete from ${schema}.${name};`).join(''))
      free.push(schema)
    },
  }
}

function newName(): string {
  return `test_${randomBytes(8).toString('hex')}`
}

async function dropSchemas(url: string, schemas: string[]): Promise<void> {
  await onDatabase(
    url,
    `set client_min_messages = warning; ${schemas.map((each) => `drop schema if exists ${each} cascade;`).join('')}`,
  )
}

/** An empty database of its own for a test, and its removal, whoever is still connected. */
export async function newDatabase(options = ''): Promise<{ url: string; drop(): Promise<void> }> {
  const url = inject('postgres')
  const name = newName()
  await onDatabase(url, `create database ${name} template template0 ${options}`)
  return {
    url: urlOf(url, name),
    async drop() {
      await onDatabase(url, `drop database ${name} with (force)`)
    },
  }
}
