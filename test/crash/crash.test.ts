import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checks } from './checks.ts'
import { type Crashes, crashEverywhere, type Outcome } from './crash.ts'
import { scenarios } from './scenarios.ts'

/*
 * The proof of docs/guarantees.md: a real process is killed before and after every transition of its store, a new one goes
 * on with the same file, and what is left is compared with a run that nobody killed.
 */

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'querent-crash-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** What a check finds in each outcome, by where its processes died. */
function faultsIn(check: (plain: Outcome, it: Outcome) => string[], { plain, crashed }: Crashes): string[] {
  return crashed.flatMap((it) => {
    const where = it.deaths.map(({ when, transition, number }) => `killed ${when} ${transition} (${number})`).join(', ')
    return check(plain, it).map((fault) => `${where}: ${fault}`)
  })
}

describe.each(scenarios)('killed before and after every transition: $name', (scenario) => {
  let crashes: Crashes

  beforeAll(async () => {
    crashes = await crashEverywhere(scenario, join(folder, scenario.name.replaceAll(/\W+/g, '-')))
  })

  test('without a kill it ends as written, and its points are all there', () => {
    expect(crashes.plain).toMatchObject({ status: scenario.ends.status, text: scenario.ends.text })
    const names = crashes.points.map(({ transition, when }) => `${when} ${transition}`)
    for (const transition of scenario.comesThrough) {
      expect(names).toContain(`before ${transition}`)
      expect(names).toContain(`after ${transition}`)
    }
    expect(crashes.crashed).toHaveLength(names.length)
  })

  test.each(Object.entries(checks))('%s', (_, check) => {
    expect(check(crashes.plain, crashes.plain)).toEqual([])
    expect(faultsIn(check, crashes)).toEqual([])
  })
})
