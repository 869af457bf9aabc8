import { defaultTexts, type EventData, type EventType, type ViewMessage } from 'querent'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import type { Outcome } from './crash.ts'
import { type Act, callOf, type Prompt } from './traces.ts'

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
  for (const log of it.logs) {
    const seqs = log.map((event) => event.seq)
    if (seqs.some((seq, index) => seq !== index + 1)) faults.push(`the log has a gap or a double: ${seqs}`)
  }
  if (it.runs[0]?.lastSeq !== it.log.length) faults.push(`the last of ${it.log.length} is ${it.runs[0]?.lastSeq}`)
  if (!isSame(it.messages.map(asSeen), plain.messages.map(asSeen))) {
    faults.push(`the person sees ${JSON.stringify(it.messages.map(asSeen))}`)
  }
  return [...faults, ...samePrompts(plain, it)]
}

function samePrompts(plain: Outcome, it: Outcome): string[] {
  const faults: string[] = []
  let repeats = 0
  const seen = requestsByAgent(it)
  for (const [agent, wanted] of requestsByAgent(plain)) {
    const all = seen.get(agent) ?? []
    const asked = all.filter((request, index) => request !== all[index - 1])
    repeats += all.length - asked.length
    const sent = asked.map((request) => asReturned(request, wanted.at(-1) ?? ''))
    for (const [index, request] of wanted.entries()) {
      if (sent[index] !== request) faults.push(`model request ${index + 1} of ${agent} is ${asked[index]}`)
    }
    if (sent.length > wanted.length) faults.push(`there are ${sent.length} model requests of ${agent}`)
  }
  return repeats > it.deaths.length ? [...faults, `${repeats} model requests were made again`] : faults
}

function requestsByAgent(it: Outcome): Map<string, string[]> {
  const of = (agent: string) => it.prompts.filter((prompt) => prompt.agent === agent).map(({ request }) => request)
  return new Map(it.prompts.map(({ agent }: Prompt) => [agent, of(agent)]))
}

/** What a person sees of a line: all but ids and instants. */
function asSeen(line: ViewMessage): unknown {
  if (line.role !== 'ask') return [line.role, line.text]
  const { ask, end } = line
  return [ask.repeat, ask.step, ask.n, ask.input, end?.outcome, end?.by, end?.data, end?.reason]
}

/** A prompt as it would be, had the calls returned that the death of a process interrupted. */
function asReturned(prompt: string, last: string): string {
  const isInterrupted = (output: unknown) => isSame(output, { type: 'error-text', value: defaultTexts.interrupted })
  const returned = new Map(resultsIn(last).map((part) => [part.toolCallId, part.output]))
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
  // One by one, or those that were approved side by side.
  if (interrupted.length > 2 * it.deaths.length) faults.push(`interrupted: ${interrupted.join(', ')}`)
  return [...faults, ...repeatedIn(it)]
}

function interruptedCalls(it: Outcome): string[] {
  const { interrupted } = defaultTexts
  const ended = eventsOf(it, 'tool.returned').filter(({ result }) => result.value === interrupted)
  return ended.map(({ effect }) => nameOf(it, effect))
}

function nameOf(it: Outcome, effect: string): string {
  const [first] = it.logs.find(([event]) => event?.run === effect.slice(0, effect.indexOf('.'))) ?? []
  return callOf(first?.type === 'run.started' ? first.data.agent : '', effect)
}

/** Calls that were begun, handed to a run of their own, or ended more than once. */
function repeatedIn(it: Outcome): string[] {
  const started = eventsOf(it, 'tool.started')
  const marks = [
    ...started.map(({ effect, child }) => (child ? `${effect} was handed on` : `${effect} was started`)),
    ...eventsOf(it, 'tool.returned').map(({ effect }) => `${effect} returned`),
  ]
  return marks.filter((mark, index) => marks.indexOf(mark) !== index).map((mark) => `${mark} twice`)
}

function promptsGrow(_: Outcome, it: Outcome): string[] {
  return [...requestsByAgent(it)].flatMap(([agent, requests]) =>
    requests.flatMap((request, index) => {
      const { messages } = JSON.parse(request) as { messages: ModelMessage[] }
      const before = requests[index - 1]
      // Instructions and tools come first in the text, the messages last: without the closing brackets it is a prefix.
      const grows = before === undefined || request.startsWith(before.slice(0, -']}'.length))
      const faults = grows ? wellFormed(messages) : [...wellFormed(messages), 'it does not begin with the one before']
      return faults.map((fault) => `model request ${index + 1} of ${agent}: ${fault}`)
    }),
  )
}

function eventsOf<T extends EventType>(it: Outcome, type: T): EventData[T][] {
  const events = it.logs.flat().filter((event) => event.type === type)
  return events.map((event) => event.data as EventData[T])
}

function actsOf<A extends Act['act']>(it: Outcome, act: A): Extract<Act, { act: A }>[] {
  return it.acts.filter((each): each is Extract<Act, { act: A }> => each.act === act)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
