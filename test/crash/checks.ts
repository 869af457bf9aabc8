import { defaultTexts, type EventData, type EventType, type ViewMessage } from 'querent'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import type { Outcome } from './crash.ts'
import type { Act } from './traces.ts'

/** Compares what is left of a run whose processes were killed with what is left without a kill. Gives faults in words. */
export type Check = (plain: Outcome, it: Outcome) => string[]

export const checks: Record<string, Check> = {
  'G1: an answer that was acknowledged is in the log, as it was given': answersKept,
  'G2: an ask is settled once, and who answers it again is told so': settledOnce,
  'G3: a bad answer is refused, and never reaches the run': badAnswersRefused,
  'G4: the run goes on once, to the same end; at most the next model request is made again': sameEnd,
  'G6: no tool that may not be repeated has run twice; others only where a process died': effectsBounded,
  'G9: each prompt is well formed, and begins with the one before': promptsGrow,
}

function answersKept(_: Outcome, it: Outcome): string[] {
  const given = new Map(actsOf(it, 'answers').map(({ id, reply }) => [id, reply]))
  return actsOf(it, 'answered').flatMap(({ id, ask }) => {
    const ends = eventsOf(it, 'ask.settled').filter((end) => end.ask === ask)
    const [end] = ends
    const { outcome, by, data, reason } = end ?? {}
    const reply = given.get(id) ?? {}
    const stored = { outcome, by: by?.type, data, reason }
    const wanted = {
      outcome: 'reason' in reply ? 'refused' : 'approved',
      by: 'person',
      data: undefined,
      reason: undefined,
    }
    const fits = ends.length === 1 && isSame(stored, { ...wanted, ...reply })
    return fits ? [] : [`the answer ${id} was acknowledged, and the log has ${JSON.stringify(ends)}`]
  })
}

function settledOnce(_: Outcome, it: Outcome): string[] {
  const faults = it.asks.flatMap(({ id, step, state, end }) => {
    const ends = eventsOf(it, 'ask.settled').filter((each) => each.ask === id)
    const agree = ends.length === 1 && ends[0]?.outcome === state && isSame(ends[0]?.data, end?.data)
    return agree ? [] : [`the ask at ${step} is ${state}, and the log has ${JSON.stringify(ends)}`]
  })
  const opened = eventsOf(it, 'ask.opened').map((ask) => ask.id)
  if (!isSame(opened.toSorted(), it.asks.map((ask) => ask.id).toSorted()))
    faults.push('asks in the log are not the rows')
  for (const { id, duplicate } of actsOf(it, 'repeated')) if (!duplicate) faults.push(`${id} was taken twice`)
  for (const { id, code } of actsOf(it, 'contradicted')) {
    if (code !== 'T0003') faults.push(`another answer in the place of ${id} was ${code}`)
  }
  return faults
}

function badAnswersRefused(plain: Outcome, it: Outcome): string[] {
  if (actsOf(plain, 'answered badly').length === 0) return []
  const bad = actsOf(it, 'answered badly')
  const faults = bad.flatMap(({ data, code }) => (code === 'T0002' ? [] : [`${JSON.stringify(data)} was ${code}`]))
  const settled = eventsOf(it, 'ask.settled').filter((end) => bad.some(({ data }) => isSame(data, end.data)))
  return [...faults, ...settled.map((end) => `${JSON.stringify(end)} is in the log`)]
}

function sameEnd(plain: Outcome, it: Outcome): string[] {
  const faults: string[] = []
  if (it.runs.length !== 1) faults.push(`there are ${it.runs.length} runs`)
  if (it.status !== plain.status) faults.push(`the run is ${it.status}, not ${plain.status}`)
  if (it.log.some((event, index) => event.seq !== index + 1) || it.runs[0]?.lastSeq !== it.log.length) {
    faults.push(`the log has a gap or a double: ${it.log.map((event) => event.seq)}, last ${it.runs[0]?.lastSeq}`)
  }
  if (!isSame(it.messages.map(asSeen), plain.messages.map(asSeen))) {
    faults.push(`the person sees ${JSON.stringify(it.messages.map(asSeen))}`)
  }
  const asked = it.prompts.filter((prompt, index) => prompt !== it.prompts[index - 1])
  const repeats = it.prompts.length - asked.length
  if (repeats > it.deaths.length) faults.push(`${repeats} model requests were made again`)
  const sent = asked.map((prompt) => asReturned(prompt, plain))
  for (const [index, prompt] of plain.prompts.entries()) {
    if (sent[index] !== prompt) faults.push(`model request ${index + 1} is ${asked[index]}`)
  }
  if (sent.length > plain.prompts.length) faults.push(`there are ${sent.length} model requests`)
  return faults
}

/** What a person sees of a line: all but ids and instants. */
function asSeen(line: ViewMessage): unknown {
  if (line.role !== 'ask') return [line.role, line.text]
  const { ask, end } = line
  return [ask.repeat, ask.step, ask.n, ask.input, end?.outcome, end?.by, end?.data, end?.reason]
}

/** A prompt as it would be, had the calls returned that the death of a process interrupted. */
function asReturned(prompt: string, plain: Outcome): string {
  const isInterrupted = (output: unknown) => isSame(output, { type: 'error-text', value: defaultTexts.interrupted })
  const returned = new Map(resultsIn(plain.prompts.at(-1) ?? '').map((part) => [part.toolCallId, part.output]))
  const request = JSON.parse(prompt) as { messages: ModelMessage[] }
  for (const message of request.messages) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (isInterrupted(part.output)) part.output = returned.get(part.toolCallId)
  }
  return JSON.stringify(request)
}

function resultsIn(prompt: string) {
  const { messages } = JSON.parse(prompt) as { messages: ModelMessage[] }
  return messages.flatMap((message) => (message.role === 'tool' ? message.content : []))
}

function effectsBounded(plain: Outcome, it: Outcome): string[] {
  const keys = new Set([...plain.effects, ...it.effects].map(({ call, name }) => `${call} ${name}`))
  const interrupted = interruptedCalls(it)
  const faults = [...keys].flatMap((key) => {
    const of = (outcome: Outcome) => outcome.effects.filter(({ call, name }) => `${call} ${name}` === key)
    const [first] = [...of(plain), ...of(it)]
    const [wanted, seen] = [of(plain).length, of(it).length]
    const most = first?.mayRepeat ? wanted + it.deaths.length : wanted
    const least = interrupted.includes(first?.call ?? '') ? 0 : wanted
    return seen >= least && seen <= most ? [] : [`${key} happened ${seen} times, without a kill ${wanted} times`]
  })
  for (const [index, { call, name }] of it.effects.entries()) {
    const again = it.effects.slice(index).some((later) => later.call === call && name === `kept ${later.name}`)
    if (again) faults.push(`${call} ${name}, and it happened again`)
  }
  for (const call of interrupted) {
    const repeatable = plain.effects.some((effect) => effect.call === call && effect.mayRepeat)
    if (repeatable) faults.push(`${call} was interrupted, and could have been run again`)
  }
  const { started, returned } = timesOf(it)
  for (const [call, times] of started) if (times > 1) faults.push(`${call} was started ${times} times`)
  for (const [call, times] of returned) if (times > 1) faults.push(`${call} returned ${times} times`)
  // One by one, or those that were approved side by side.
  if (interrupted.length > 2 * it.deaths.length) faults.push(`interrupted: ${interrupted.join(', ')}`)
  return faults
}

function interruptedCalls(it: Outcome): string[] {
  const { interrupted } = defaultTexts
  const ended = eventsOf(it, 'tool.returned').filter(({ result }) => result.value === interrupted)
  return ended.map(({ effect }) => callOf(effect))
}

function timesOf(it: Outcome): { started: Map<string, number>; returned: Map<string, number> } {
  const count = (events: { effect: string }[]) => {
    const times = new Map<string, number>()
    for (const { effect } of events) times.set(callOf(effect), (times.get(callOf(effect)) ?? 0) + 1)
    return times
  }
  return { started: count(eventsOf(it, 'tool.started')), returned: count(eventsOf(it, 'tool.returned')) }
}

function promptsGrow(_: Outcome, it: Outcome): string[] {
  return it.prompts.flatMap((prompt, index) => {
    const { messages } = JSON.parse(prompt) as { messages: ModelMessage[] }
    const before = it.prompts[index - 1]
    // Instructions and tools come first in the text, the messages last: without the closing brackets it is a prefix.
    const grows = before === undefined || prompt.startsWith(before.slice(0, -']}'.length))
    const faults = wellFormed(messages).map((fault) => `model request ${index + 1}: ${fault}`)
    return grows ? faults : [...faults, `model request ${index + 1} does not begin with the one before`]
  })
}

/** A call without its run, which has another id each time. */
export function callOf(effect: string): string {
  return effect.slice(effect.indexOf('.') + 1)
}

function eventsOf<T extends EventType>(it: Outcome, type: T): EventData[T][] {
  return it.log.filter((event) => event.type === type).map((event) => event.data as EventData[T])
}

function actsOf<A extends Act['act']>(it: Outcome, act: A): Extract<Act, { act: A }>[] {
  return it.acts.filter((each): each is Extract<Act, { act: A }> => each.act === act)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
