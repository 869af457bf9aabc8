/**
 * Starts a Postgres server once per run, for the tests that need one. `TEST_DATABASE_URL` is used instead, where it is
 * set: an administrator of a server, on which a database is made and dropped.
 */
import type { TestProject } from 'vitest/node'
import { onDatabase, startPostgres, urlOf } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the administrator, to the database of this run. */
    postgres: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const server = given ? undefined : await startPostgres()
  const url = given ?? server?.url ?? ''
  const database = `querent_tests_${process.pid}`
  await onDatabase(url, `create database ${database} encoding 'UTF8' template template0`)
  project.provide('postgres', urlOf(url, database))
  return async () => {
    if (server) await server.stop()
    else await onDatabase(url, `drop database ${database} with (force)`)
  }
}
