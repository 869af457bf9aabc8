import { beforeAll, describe, expect, test } from 'vitest'
import { liveInChaos, type Outcome } from './chaos.ts'
import { checks, figuresOf } from './checks.ts'

/* The short form. The long one: `npm run chaos`. Whatever it finds, the same seed strikes at the same places again. */

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
let outcome: Outcome

beforeAll(async () => {
  outcome = await liveInChaos({ seed, runs: 40, kills: 5, freezes: 2, restarts: 2 })
  console.log(`CHAOS_SEED=${seed}`, JSON.stringify(figuresOf(outcome)))
}, 400_000)

describe('workers that are killed and frozen, on a database that restarts', () => {
  test.each(Object.keys(checks))('%s', (name) => {
    expect(checks[name]?.(outcome)).toEqual([])
  })

  test('it was no easy life: runs were delegated, asks answered by rivals or expired, and claims taken over', () => {
    const figures = figuresOf(outcome)
    for (const what of ['approved', 'refused', 'expired', 'answers that lost to a rival', 'runs delegated by them'])
      expect(figures[what], what).toBeGreaterThan(0)
    expect(figures.claims).toBeGreaterThan(outcome.runs.length)
  })
})

describe('each check finds what it is there to find', () => {
  const damages: [check: keyof typeof checks, damage: (it: Outcome) => void][] = [
    ['every run is over, and its mailbox is empty', ({ runs }) => Object.assign(first(runs), { status: 'working' })],
    ['every run is over, and its mailbox is empty', (it) => Object.assign(it, { mail: 1 })],
    ['no log has a gap or a double, or goes on after its end', ({ runs }) => void first(runs).log.splice(1, 1)],
    ['every ask is settled once, and its row agrees with the log', ({ runs }) => repeat(runs, 'ask.settled')],
    ['every ask is settled once, and its row agrees with the log', ({ asks }) => void asks.pop()],
    [
      'every answer that was accepted is in the log as it was given, and one at most',
      ({ told }) => Object.assign(first(told.filter(({ code }) => !code)), { data: 'another' }),
    ],
    [
      'every answer that was accepted is in the log as it was given, and one at most',
      ({ told }) => void told.push(first(told.filter(({ code }) => !code))),
    ],
    [
      'an answer that is sent again is not refused for the sake of itself',
      ({ told }) => Object.assign(first(told.filter(({ code }) => !code)), { code: 'T0003' }),
    ],
    [
      'no tool that may not be repeated has run twice',
      ({ effects }) => void effects.push(first(effects.filter(({ mayRepeat }) => !mayRepeat))),
    ],
    ['every tool call has one start at most and one result', ({ runs }) => repeat(runs, 'tool.returned')],
    [
      'each prompt is well formed, and begins with the one before',
      ({ prompts }) => {
        const [prompt] = prompts.filter(({ request }) => request.includes('"assistant"'))
        if (prompt) prompt.request = prompt.request.replace('Job', 'job')
      },
    ],
    ['every process that was not killed came to its end without complaint', ({ complaints }) => complaints.push('no')],
  ]

  test.each(damages)('%s', (name, damage) => {
    const damaged = structuredClone(outcome)
    damage(damaged)
    expect(checks[name]?.(damaged)).not.toEqual([])
  })
})

function first<T>([item]: T[]): T {
  if (item === undefined) throw new Error('There is none.')
  return item
}

function repeat(runs: Outcome['runs'], type: string): void {
  const { log } = first(runs.filter((run) => run.log.some((event) => event.type === type)))
  log.push(first(log.filter((event) => event.type === type)))
}
