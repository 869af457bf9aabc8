import { defaultTexts, type EventData, type EventType } from 'querent'
import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import type { Outcome } from './chaos.ts'
import type { LeftRun } from './left.ts'
import type { Prompt } from './traces.ts'

/** What is wrong with what is left, in words. */
export type Check = (it: Outcome) => string[]

export const checks: Record<string, Check> = {
  'every run is over, and its mailbox is empty': everyRunIsOver,
  'no log has a gap or a double, or goes on after its end': logsAreWhole,
  'every ask is settled once, and its row agrees with the log': asksAreSettledOnce,
  'every answer that was accepted is in the log as it was given, and one at most': answersAreKept,
  'an answer that is sent again is not refused for the sake of itself': answersAreNotTheirOwnRivals,
  'no tool that may not be repeated has run twice': effectsAreBounded,
  'every tool call has one start at most and one result': callsReturnOnce,
  'each prompt is well formed, and begins with the one before': promptsGrow,
  'every process that was not killed came to its end without complaint': ({ complaints }) => complaints,
}

function everyRunIsOver({ runs, mail, chaos }: Outcome): string[] {
  const roots = runs.filter((run) => !startOf(run)?.parent)
  const faults = roots.length === chaos.runs ? [] : [`${chaos.runs} runs were started, and there are ${roots.length}`]
  if (mail > 0) faults.push(`${mail} mails lie in mailboxes`)
  for (const run of runs) {
    const failure = eventsOf([run], 'run.failed')[0]
    if (run.status !== 'done' && run.status !== 'stopped') {
      faults.push(`${nameOf(run)} is ${run.status} ${JSON.stringify(failure ?? run.log.at(-1))}`)
    }
  }
  return faults
}

function logsAreWhole({ runs }: Outcome): string[] {
  return runs.flatMap((run) => {
    const seqs = run.log.map((event) => event.seq)
    const faults = seqs.some((seq, index) => seq !== index + 1) ? [`${nameOf(run)} has the lines ${seqs}`] : []
    if (run.lastSeq !== run.log.length) faults.push(`${nameOf(run)} says ${run.lastSeq} of ${run.log.length} lines`)
    const ends = run.log.filter(({ type }) => /^run\.(finished|failed|stopped)$/.test(type)).map(({ seq }) => seq)
    const rounds = run.log.filter(({ type, data }) => type === 'message.added' && data.from === 'person').length
    if (ends.length < 1 || ends.length > 1 + rounds) faults.push(`${nameOf(run)} ends at the lines ${ends}`)
    return faults
  })
}

function asksAreSettledOnce({ runs, asks }: Outcome): string[] {
  const opened = eventsOf(runs, 'ask.opened').map(({ id }) => id)
  const settled = eventsOf(runs, 'ask.settled')
  const faults = opened.length === asks.length ? [] : [`${opened.length} asks are in logs, and ${asks.length} rows`]
  for (const { id, state, end } of asks) {
    const ends = settled.filter(({ ask }) => ask === id)
    const agrees = ends.length === 1 && ends[0]?.outcome === state && isSame(ends[0].data, end?.data)
    if (!agrees) faults.push(`the ask ${id} is ${state}, and its log has ${JSON.stringify(ends)}`)
  }
  return faults
}

function answersAreKept({ runs, told }: Outcome): string[] {
  const settled = eventsOf(runs, 'ask.settled')
  const accepted = told.filter(({ code }) => code === undefined)
  const faults = accepted.flatMap((answer) => {
    const end = settled.find(({ ask }) => ask === answer.ask)
    const fits = end?.outcome === answer.outcome && end.by.type === 'person' && isSame(end.data, answer.data)
    return fits ? [] : [`${JSON.stringify(answer)} was accepted, and the log has ${JSON.stringify(end)}`]
  })
  const doubles = accepted.filter(({ ask }, index) => accepted.findIndex((each) => each.ask === ask) !== index)
  return [...faults, ...doubles.map(({ ask }) => `two answers to ${ask} were accepted`)]
}

function answersAreNotTheirOwnRivals({ asks, told }: Outcome): string[] {
  const byId = new Map(asks.map((ask) => [ask.id, ask]))
  const refused = told.filter(({ code }) => code !== undefined)
  const faults = refused.filter(({ ask, answerId }) => byId.get(ask)?.end?.answerId === answerId)
  const expected = ['T0003', 'T0005']
  const odd = refused.filter(({ code = '' }) => !expected.includes(code))
  return [...faults, ...odd].map((answer) => `refused: ${JSON.stringify(answer)}`)
}

function effectsAreBounded({ runs, effects }: Outcome): string[] {
  const counts = new Map<string, number>()
  for (const { call, name, mayRepeat } of effects) {
    if (!mayRepeat) counts.set(`${call} ${name}`, (counts.get(`${call} ${name}`) ?? 0) + 1)
  }
  const faults = [...counts].filter(([, count]) => count > 1).map(([key, count]) => `${key} happened ${count} times`)
  const happened = new Set(effects.map(({ call }) => call))
  const done = eventsOf(runs, 'tool.returned').filter(({ result }) => / is done$/.test(String(result.value)))
  return [...faults, ...done.flatMap(({ effect }) => (happened.has(effect) ? [] : [`${effect} never happened`]))]
}

function callsReturnOnce({ runs }: Outcome): string[] {
  return runs.flatMap((run) => {
    const marks = [
      ...eventsOf([run], 'tool.started').map(({ effect, child }) => `${effect} ${child ? 'handed on' : 'started'}`),
      ...eventsOf([run], 'tool.returned').map(({ effect }) => `${effect} returned`),
    ]
    return marks.filter((mark, index) => marks.indexOf(mark) !== index).map((mark) => `${mark} twice`)
  })
}

/** Who was frozen writes down a prompt late, so they are put in order by their length. */
function promptsGrow({ prompts }: Outcome): string[] {
  return [...Map.groupBy(prompts, ({ agent, job }: Prompt) => `${agent}, ${job}`)].flatMap(([name, all]) => {
    const requests = [...new Set(all.map(({ request }) => request))].sort((a, b) => a.length - b.length)
    return requests.flatMap((request, index) => {
      const { messages } = JSON.parse(request) as { messages: ModelMessage[] }
      const before = requests[index - 1]
      const grows = before === undefined || request.startsWith(before.slice(0, -']}'.length))
      const faults = grows ? wellFormed(messages) : [...wellFormed(messages), `it does not begin with ${before}`]
      return faults.map((fault) => `a request of ${name}: ${fault} ${request}`)
    })
  })
}

/** What happened, in figures. */
export function figuresOf(it: Outcome): Record<string, number> {
  const { runs, told, asks, chaos, tookMs, prompts, notices } = it
  const count = (state: string) => asks.filter((ask) => ask.state === state).length
  return {
    kills: chaos.kills,
    freezes: chaos.freezes,
    restarts: chaos.restarts,
    runs: chaos.runs,
    'runs delegated by them': runs.length - chaos.runs,
    events: runs.reduce((sum, { log }) => sum + log.length, 0),
    claims: runs.reduce((sum, { fence }) => sum + fence, 0),
    asks: asks.length,
    approved: count('approved'),
    refused: count('refused'),
    expired: count('expired'),
    withdrawn: count('withdrawn'),
    'answers that lost to a rival': told.filter(({ code }) => code !== undefined).length,
    'answers sent again': told.filter(({ again }) => again).length,
    'calls interrupted': interruptedIn(runs),
    // Without renewals: one that comes when a run was just parked finds no claim either.
    'writes of stale workers refused': notices.filter(({ what }) => /^lost (?!renewClaim)/.test(what)).length,
    'model calls': prompts.length,
    'model calls, ideal': eventsOf(runs, 'model.replied').length,
    seconds: Math.round(tookMs / 1000),
  }
}

function interruptedIn(runs: LeftRun[]): number {
  const { interrupted } = defaultTexts
  return eventsOf(runs, 'tool.returned').filter(({ result }) => result.value === interrupted).length
}

function eventsOf<T extends EventType>(runs: LeftRun[], type: T): EventData[T][] {
  const events = runs.flatMap(({ log }) => log).filter((event) => event.type === type)
  return events.map((event) => event.data as EventData[T])
}

function startOf({ log }: LeftRun): EventData['run.started'] | undefined {
  const [first] = log
  return first?.type === 'run.started' ? first.data : undefined
}

function nameOf({ id, agent }: LeftRun): string {
  return `the run ${id} of ${agent}`
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
