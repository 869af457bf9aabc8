import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
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
  const schema = `test_${randomBytes(8).toString('hex')}`
  return {
    url,
    schema,
    async drop() {
      await onDatabase(url, `set client_min_messages = warning; drop schema if exists ${schema} cascade`)
    },
  }
}

/** An empty database of its own for a test, and its removal, whoever is still connected. */
export async function newDatabase(options = ''): Promise<{ url: string; drop(): Promise<void> }> {
  const url = inject('postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  await onDatabase(url, `create database ${name} template template0 ${options}`)
  return {
    url: urlOf(url, name),
    async drop() {
      await onDatabase(url, `drop database ${name} with (force)`)
    },
  }
}
