import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EventType } from '../../src/core/event.ts'
import { expectationOf, readLog, textOfLog } from './expectation.ts'
import { makeLogs } from './make.ts'
import { goldenRuns, logOf } from './runs.ts'

const logs = join(import.meta.dirname, 'logs')
const versions = readdirSync(logs)

const namesOf = (version: string) =>
  readdirSync(join(logs, version))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))

const logAt = (version: string, name: string) => readLog(readFileSync(join(logs, version, `${name}.jsonl`), 'utf8'))

/** Every type that is written: a record, so that the compiler names one that is new. */
const types: Record<EventType, true> = {
  'run.started': true,
  'model.replied': true,
  'approval.decided': true,
  'tool.started': true,
  'tool.returned': true,
  'tool.kept': true,
  'ask.opened': true,
  'ask.settled': true,
  'guard.refused': true,
  'message.added': true,
  'driver.kept': true,
  'run.failed': true,
  'run.finished': true,
  'run.stopped': true,
}

describe.each(versions)('logs that version %s wrote (G8)', (version) => {
  test.each(namesOf(version))('%s', (name) => {
    const expected: unknown = JSON.parse(readFileSync(join(logs, version, `${name}.expected.json`), 'utf8'))
    expect(JSON.parse(JSON.stringify(expectationOf(logAt(version, name))))).toEqual(expected)
  })
})

test('the kept logs have every type of event', () => {
  const events = versions.flatMap((version) => namesOf(version).flatMap((name) => logAt(version, name)))
  expect([...new Set(events.map((event) => event.type))].sort()).toEqual(Object.keys(types).sort())
})

test.each(goldenRuns.map((golden) => [golden.name, golden] as const))('%s can be made anew', async (_, golden) => {
  const folder = mkdtempSync(join(tmpdir(), 'querent-golden-'))
  try {
    const log = await logOf(golden, join(folder, 'querent.db'))
    expect(readLog(textOfLog(log))).toEqual(log)
    expect(log.length).toBeGreaterThan(3)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('logs that are there are not written over', async () => {
  const [version = ''] = versions
  await expect(makeLogs(version)).rejects.toThrow(`logs/${version} is there`)
})
