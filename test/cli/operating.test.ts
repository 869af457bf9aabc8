import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onDatabase, type PostgresServer, startPostgres, urlOf } from '../setup/postgres-server.ts'
import { printed, querentCommand, Workplace } from './workplace.ts'

/* The commands of who operates: one config, and a Postgres in place of its store. */

let server: PostgresServer
let databases = 0

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server.stop())

async function newUrl(): Promise<string> {
  databases += 1
  await onDatabase(server.url, `create database operating_${databases}`)
  return urlOf(server.url, `operating_${databases}`)
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

const input = JSON.stringify({ questions: [{ question: 'Size?', choices: ['S', 'M'] }] })

describe('querent migrate', () => {
  test('says how far the database is, brings it there, and changes nothing with --check', async () => {
    const place = new Workplace()
    const on = ['--database', await newUrl()]
    const check = await place.querent(['migrate', '--check', ...on])
    expect(check).toMatchObject({ code: 1, stderr: '' })
    expect(check.stdout).toMatch(/^The schema is not there; this code brings it to \d+: querent migrate\.\n$/)
    const done = await place.querent(['migrate', ...on])
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^The schema was not there, and is \d+ now\.\n$/)
    const again = await place.querent(['migrate', '--json', ...on])
    const { from, to, newest } = JSON.parse(again.stdout)
    expect([from, to]).toEqual([newest, newest])
    expect(await place.querent(['migrate', '--check', ...on])).toMatchObject({ code: 0 })
  })

  test('a SQLite file that is not there is not made by a look', async () => {
    const place = new Workplace()
    expect(await place.querent(['migrate', '--check'])).toMatchObject({ code: 1 })
    expect(existsSync(join(place.folder, 'querent.db'))).toBe(false)
    expect((await place.querent(['migrate'])).stdout).toContain('was not there')
    expect(await place.querent(['migrate', '--check'])).toMatchObject({ code: 0 })
  })

  test('a newer schema is used where this code can, and refused where it cannot', async () => {
    const place = new Workplace()
    const url = await newUrl()
    await place.querent(['migrate', '--database', url])
    await onDatabase(url, 'insert into querent.migrations (number, compatible_since) values (98, 1)')
    const newer = await place.querent(['migrate', '--check', '--database', url])
    expect(newer).toMatchObject({ code: 0, stdout: expect.stringContaining('and can use it') })
    await onDatabase(url, 'insert into querent.migrations (number, compatible_since) values (99, 99)')
    const refused = await place.querent(['migrate', '--database', url])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('T3002') })
  })
})

test('docs/operating.md: what it asks the database can be asked', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const [, sql = ''] = /```sql\n([\s\S]+?)```/.exec(page) ?? []
  const url = await newUrl()
  await new Workplace().querent(['migrate', '--database', url])
  expect(await onDatabase(url, sql)).toEqual([])
})

describe('querent worker', () => {
  test('works on what others start and answer, wherever the database is, and gives its claims back on SIGTERM', async () => {
    const place = new Workplace()
    const env = { QUERENT_DATABASE: await newUrl() }
    const worker = place.spawn([...querentCommand, 'worker'], env)
    expect((await printed(worker, /Querent works[\s\S]*ends it\n/))[0]).toContain('asker')
    const started = await place.querent(['run', 'asker', input], { env })
    expect(started.code).toBe(75)
    const run = /run_[0-9a-z]+/.exec(started.stdout)?.[0] ?? ''
    expect(started.stdout).not.toContain('password')
    expect(await place.querent(['answer', run, '--choose', 'M', '--no-work'], { env })).toMatchObject({ code: 0 })
    let done = ''
    while (!done.includes(run)) done = (await place.querent(['runs', '--status', 'done'], { env })).stdout
    const ended = exitOf(worker)
    const goodbye = printed(worker, /claims are given back/)
    worker.kill('SIGTERM')
    await goodbye
    expect(await ended).toBe(0)
  })

  test('without agents there is nothing it could do', async () => {
    const place = new Workplace()
    const refused = await place.querent(['worker', '--database', await newUrl()])
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--config') })
  })
})

describe('a config with its runs on Postgres', () => {
  test('serve: works there, and says that QUERENT_SECRET is missing where several machines would need it', async () => {
    const place = new Workplace()
    const url = await newUrl()
    const args = ['serve', '--port', '0', '--config', 'querent.config.mjs', '--database', url]
    for (const env of [{}, { QUERENT_SECRET: 'a long random text that all machines share' }]) {
      const serving = place.spawn([...querentCommand, ...args], env)
      let errors = ''
      serving.stderr?.on('data', (chunk: Buffer) => {
        errors += chunk
      })
      expect((await printed(serving, /Querent serves[\s\S]*ends it\n/))[0]).toContain('agents: asker')
      const ended = exitOf(serving)
      serving.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(errors.includes('QUERENT_SECRET is not set')).toBe(!('QUERENT_SECRET' in env))
    }
    expect(existsSync(join(place.folder, 'querent.db'))).toBe(false)
  })

  test('what is printed to be copied has no password in it', async () => {
    const place = new Workplace()
    const url = await newUrl()
    const args = ['--config', 'querent.config.mjs', '--database', url]
    const started = await place.querent(['run', 'asker', input, ...args])
    expect(started.code).toBe(75)
    expect(started.stdout).toContain('--database postgres://postgres@127.0.0.1')
    expect(started.stdout + started.stderr).not.toContain('password')
    const asks = await place.querent(['asks', '--database', url])
    expect(asks.stdout).toContain('Size?')
    expect(asks.stdout).not.toContain('password')
  })
})
