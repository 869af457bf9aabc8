import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checks } from './checks.ts'
import { type Crashes, crashEverywhere, crashOften, type Outcome } from './crash.ts'
import { askedByTool, oneQuestion, scenarios, twoQuestions } from './scenarios.ts'

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

/** One folder for each time a scenario is lived through. */
function newFolder(): string {
  return mkdtempSync(join(folder, 'scenario-'))
}

function expectSound(crashes: () => Crashes): void {
  test.each(Object.entries(checks))('%s', (_, check) => {
    expect(check(crashes().plain, crashes().plain)).toEqual([])
    expect(faultsIn(check, crashes())).toEqual([])
  })
}

describe.each(scenarios)('killed before and after every transition: $name', (scenario) => {
  let crashes: Crashes

  beforeAll(async () => {
    crashes = await crashEverywhere(scenario, newFolder())
  })

  test('without a kill it ends as written, and comes through what it must', () => {
    expect(crashes.plain).toMatchObject(scenario.ends)
    const names = crashes.points.map(({ transition, when }) => `${when} ${transition}`)
    const wanted = scenario.comesThrough.flatMap((transition) => [`before ${transition}`, `after ${transition}`])
    expect(names).toEqual(expect.arrayContaining(wanted))
  })

  expectSound(() => crashes)
})

describe.each([
  // Answered and claimed, and nobody heard so.
  { when: 'after', transition: 'settleAsk', scenario: oneQuestion },
  // A tool that may not be repeated runs.
  { when: 'after', transition: 'append', scenario: twoQuestions },
] as const)('killed $when $transition, then everywhere in what goes on: $scenario.name', ({ scenario, ...first }) => {
  let crashes: Crashes

  beforeAll(async () => {
    crashes = await crashEverywhere(scenario, newFolder(), first)
  })

  expectSound(() => crashes)
})

describe.each([twoQuestions, askedByTool])(
  'killed again and again, each process a point later in its life: $name',
  (scenario) => {
    let crashes: Crashes

    beforeAll(async () => {
      crashes = await crashOften(scenario, newFolder(), 9)
    })

    test('it takes many lives', () => {
      expect(crashes.points.length).toBeGreaterThan(3)
    })

    expectSound(() => crashes)
  },
)
