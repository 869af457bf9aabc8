import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultTexts, type EventType } from 'querent'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checks } from './checks.ts'
import { livePlainly, type Outcome } from './crash.ts'
import { oneQuestion, twoQuestions } from './scenarios.ts'

/* A check that finds nothing proves nothing unless it finds what is wrong: here each meets the fault it is there for. */

let folder: string
let plain: Outcome
let badlyAnswered: Outcome

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querent-checks-'))
  plain = await livePlainly(twoQuestions, join(folder, 'two'))
  badlyAnswered = await livePlainly(oneQuestion, join(folder, 'one'))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

/** An event of the log that a test damages. */
function event(it: Outcome, type: EventType): { data: Record<string, unknown> } & Outcome['log'][number] {
  const found = it.log.findLast((each) => each.type === type)
  if (!found) throw new Error(`There is no ${type}.`)
  return found as ReturnType<typeof event>
}

const removed = (it: Outcome, type: EventType) => it.log.splice(it.log.indexOf(event(it, type)), 1)
const doubled = (it: Outcome, type: EventType) => it.log.push(event(it, type))
const rewritten = (it: Outcome, from: string, to: string) => {
  const [, second] = it.prompts
  if (second) second.request = second.request.replace(from, to)
}
const effect = (it: Outcome, tool: string) =>
  it.effects.find((each) => each.tool === tool) as Outcome['effects'][number]

test.each<[guarantee: string, fault: string, damage: (it: Outcome) => unknown]>([
  ['G1', 'an answer is lost', (it) => removed(it, 'ask.settled')],
  ['G1', 'an answer is there twice', (it) => doubled(it, 'ask.settled')],
  ['G1', 'another answer is there', (it) => Object.assign(event(it, 'ask.settled').data, { reason: 'Red.' })],
  ['G2', 'an ask is settled twice', (it) => doubled(it, 'ask.settled')],
  ['G2', 'a row and the log differ', (it) => Object.assign(it.asks[0] ?? {}, { state: 'open' })],
  ['G2', 'an ask is in the log alone', (it) => it.asks.pop()],
  ['G2', 'an answer counts twice', (it) => it.acts.push({ act: 'repeated', id: '1', duplicate: false })],
  ['G2', 'another answer counts', (it) => it.acts.push({ act: 'contradicted', id: '1', code: 'accepted' })],
  ['G4', 'a second run', (it) => it.runs.push(...it.runs)],
  ['G4', 'another end', (it) => Object.assign(it, { status: 'failed' })],
  ['G4', 'a gap in the log', (it) => removed(it, 'tool.started')],
  ['G4', 'a line that is not shown', (it) => it.messages.pop()],
  ['G4', 'a model request that was made again', (it) => it.prompts.push(...it.prompts.slice(-1))],
  ['G4', 'a model request too many', (it) => it.prompts.push({ agent: 'shirts', request: '{"messages":[]}' })],
  ['G4', 'another model request', (it) => rewritten(it, '"M"', '"L"')],
  ['G6', 'an order happened twice', (it) => it.effects.push(effect(it, 'order'))],
  [
    'G6',
    'an order that returned did not happen',
    (it) => it.effects.splice(it.effects.indexOf(effect(it, 'order')), 1),
  ],
  ['G6', 'an order that was held back', (it) => it.effects.push({ ...effect(it, 'order'), call: 'shirts 1.1.4' })],
  ['G6', 'a look-up was repeated without a death', (it) => it.effects.push(effect(it, 'look_up'))],
  ['G6', 'a call was started twice', (it) => doubled(it, 'tool.started')],
  ['G6', 'a call returned twice', (it) => doubled(it, 'tool.returned')],
  [
    'G6',
    'a call was interrupted without a death',
    (it) =>
      Object.assign(event(it, 'tool.returned').data, { result: { type: 'error', value: defaultTexts.interrupted } }),
  ],
  ['G9', 'a prompt that does not go on', (it) => it.prompts.reverse()],
  ['G9', 'a call without its result', (it) => rewritten(it, '"tool-result"', '""')],
])('%s finds: %s', (guarantee, _, damage) => {
  const it = structuredClone(plain)
  damage(it)
  const found = Object.entries(checks).filter(([, check]) => check(plain, it).length > 0)
  expect(found.map(([name]) => name.slice(0, 2))).toContain(guarantee)
})

test('G3 finds a bad answer that was accepted, and one that is in the log', () => {
  const [, check] = Object.entries(checks).find(([name]) => name.startsWith('G3')) ?? []
  const accepted = structuredClone(badlyAnswered)
  for (const act of accepted.acts) if (act.act === 'answered badly') act.code = 'accepted'
  const stored = structuredClone(badlyAnswered)
  event(stored, 'ask.settled').data.data = 'XL'
  expect(check?.(badlyAnswered, badlyAnswered)).toEqual([])
  expect(check?.(badlyAnswered, accepted)).toHaveLength(1)
  expect(check?.(badlyAnswered, stored)).toHaveLength(1)
})
