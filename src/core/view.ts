import type { Ask, AskOption, AskRule, Outcome, Step } from './ask.ts'
import type { Code } from './error.ts'
import type { RunEvent, RunStatus, Trigger } from './event.ts'
import type { Json } from './json.ts'
import type { Usage, UserInput } from './model.ts'

/** How an ask ended, as the person who was asked may see it. */
export interface AskEnd {
  outcome: Outcome
  /** `'you'`, the backend, a deadline, or the run itself (a message, a stop, its end). */
  by: 'you' | 'system' | 'clock' | 'run'
  at: string
  data?: Json
  reason?: string
}

/**
 * One line of a conversation, as its person sees it. `seq`: the line of the log it comes from. An ask of a run below has
 * that of the call it belongs to, which is the line of no other message, but of other such asks.
 */
export type ViewMessage =
  | { role: 'user' | 'assistant'; seq: number; at: string; text: string }
  | { role: 'ask'; seq: number; at: string; ask: Ask; end?: AskEnd }

/** A run without its conversation, as lists give it: lists read no log. */
export interface RunSummary<O = unknown> {
  run: string
  agent: string
  status: RunStatus
  trigger: Trigger
  /** The round, from 1. */
  repeat: number
  /** The beginning of the first input. */
  title: string
  /** Open ones, not past `until`. */
  asks: Ask[]
  output?: O
  usage: Usage
  error?: { code: Code; message: string }
  startedAt: string
  endedAt?: string
}

/** A run as its person sees it. */
export interface RunView<O = unknown> extends RunSummary<O> {
  messages: ViewMessage[]
  /** The newest text of the agent. */
  text: string
  /** The newest line of the log that this shows: `watch(run, { after: seq })` goes on behind it. */
  seq: number
}

/** A `ViewEvent` that comes from a line of the log, and has its `seq`. */
export type LoggedViewEvent =
  | { type: 'message'; seq: number; at: string; role: 'user' | 'assistant'; text: string }
  | { type: 'ask.opened'; seq: number; at: string; ask: Ask }
  | { type: 'ask.settled'; seq: number; at: string; ask: Ask; end: AskEnd }
  | { type: 'tool'; seq: number; at: string; step: string; tool: string; state: 'started' | 'returned'; failed?: true }
  | {
      type: 'status'
      seq: number
      at: string
      status: 'done' | 'failed' | 'stopped'
      output?: Json
      error?: { code: Code; message: string }
    }

/**
 * A `ViewEvent` of an ask of a run below this one (`ask.path` names the agents between). It stands in the log of that run,
 * so it has no `seq`, and `watch({ after })` cannot leave out those that are known: each watch begins with all of them.
 * `ask.id` tells them apart. `under`: the line of this run's log that began the call they belong to.
 */
export type DelegatedViewEvent =
  | { type: 'ask.opened'; under: number; at: string; ask: Ask }
  | { type: 'ask.settled'; under: number; at: string; ask: Ask; end: AskEnd }

/** What `watch` gives: lines of the log with their `seq`, asks of the runs below it, and live text. */
export type ViewEvent =
  | LoggedViewEvent
  | DelegatedViewEvent
  /** Live text, in the process that works on the run. Stored nowhere; the message that follows has the whole. */
  | { type: 'text.delta'; text: string }
  /** The live text so far is void: the model call failed half-way and is made again. */
  | { type: 'text.reset' }

/** The plain text of what somebody sent; files by name. */
export function textOf(content: UserInput): string {
  if (typeof content === 'string') return content
  return content
    .map((part) =>
      part.type === 'text' ? part.text : `[${part.type === 'file' ? (part.filename ?? part.mediaType) : 'image'}]`,
    )
    .join('\n')
}

/** What is written together has one instant, and is read together. */
let newest = { ms: 0, iso: new Date(0).toISOString() }

/** An instant as people's screens and logs have it. */
export function isoOf(instantMs: number): string {
  if (instantMs !== newest.ms) newest = { ms: instantMs, iso: new Date(instantMs).toISOString() }
  return newest.iso
}

/**
 * Makes a person's view from a log, one event at a time: nothing that a guard refused, no tool's input or result, no
 * provider metadata. Pure; the state it keeps is only what later events refer to.
 */
export class Viewer {
  private run = ''
  private agent = ''
  private path: string[] = []
  private readonly asks = new Map<string, Ask>()
  private readonly tools = new Map<string, { step: string; tool: string; started: boolean }>()

  /** What the person sees of this event, if anything. Events must come in order, from the first. */
  see(event: RunEvent): LoggedViewEvent | undefined {
    const { seq, at } = event
    switch (event.type) {
      case 'run.started':
        this.run = event.run
        this.agent = event.data.agent
        this.path = [...(event.data.parent?.path ?? []), event.data.agent]
        return { type: 'message', seq, at, role: 'user', text: textOf(event.data.input) }
      case 'message.added':
        return event.data.from === 'answers'
          ? undefined
          : { type: 'message', seq, at, role: 'user', text: textOf(event.data.content) }
      case 'model.replied':
        return this.seeReply(event)
      case 'ask.opened': {
        const ask = this.askOf(event)
        this.asks.set(ask.id, ask)
        return { type: 'ask.opened', seq, at, ask }
      }
      case 'ask.settled': {
        const ask = this.asks.get(event.data.ask)
        return ask && { type: 'ask.settled', seq, at, ask, end: endOf(event.data, at) }
      }
      case 'approval.decided': {
        const { effect, call } = event.data
        if (call) this.tools.set(effect, { step: call.step, tool: call.tool, started: false })
        return undefined
      }
      case 'tool.started':
      case 'tool.returned':
        return this.seeTool(event)
      case 'run.finished':
        return {
          type: 'status',
          seq,
          at,
          status: 'done',
          ...(event.data.output === undefined ? {} : { output: event.data.output }),
        }
      case 'run.failed':
        return {
          type: 'status',
          seq,
          at,
          status: 'failed',
          error: { code: event.data.code, message: event.data.message },
        }
      case 'run.stopped':
        return { type: 'status', seq, at, status: 'stopped' }
      default:
        return undefined
    }
  }

  private seeReply({ seq, at, data }: RunEvent & { type: 'model.replied' }): LoggedViewEvent | undefined {
    for (const [index, call] of data.calls.entries()) {
      this.tools.set(call.effect, { step: `tool ${data.turn}.${index + 1}`, tool: call.tool, started: false })
    }
    if (data.refused || data.text === '') return undefined
    return { type: 'message', seq, at, role: 'assistant', text: data.text }
  }

  private seeTool(event: RunEvent & { type: 'tool.started' | 'tool.returned' }): LoggedViewEvent | undefined {
    const { seq, at } = event
    const known = this.tools.get(event.data.effect)
    // A question is no tool to people, nor is a call that never began; one that a child run does starts once.
    if (!known || (event.type === 'tool.returned') !== known.started) return undefined
    known.started = true
    const { step, tool } = known
    if (event.type === 'tool.started') return { type: 'tool', seq, at, step, tool, state: 'started' }
    const failed = event.data.result.type === 'error'
    return { type: 'tool', seq, at, step, tool, state: 'returned', ...(failed ? { failed: true } : {}) }
  }

  private askOf({ at, data }: RunEvent & { type: 'ask.opened' }): Ask {
    return toAsk({
      ...data,
      run: this.run,
      agent: this.agent,
      path: this.path,
      sinceMs: Date.parse(at),
      ...(data.waitMs === undefined ? {} : { untilMs: Date.parse(at) + data.waitMs }),
    })
  }
}

/**
 * Adds to a conversation what an event tells of it. What it has already is not added again. A line that changes is made
 * anew, so that who compares lines sees it.
 */
export function addToConversation(messages: ViewMessage[], event: ViewEvent): void {
  if (event.type === 'message') {
    const { role, seq, at, text } = event
    messages.push({ role, seq, at, text })
  } else if (event.type === 'ask.opened') {
    const { at, ask } = event
    const seq = 'seq' in event ? event.seq : event.under
    const place = messages.findLastIndex((line) => line.seq <= seq) + 1
    // The lines stand in order, so it can only be among those of its seq: to look at all would take a long one's square.
    const from = messages.findLastIndex((line) => line.seq < seq) + 1
    if (placeOf(messages.slice(from, place), ask) === -1) messages.splice(place, 0, { role: 'ask', seq, at, ask })
  } else if (event.type === 'ask.settled') {
    const place = placeOf(messages, event.ask)
    const line = messages[place]
    if (line?.role === 'ask' && !line.end) messages[place] = { ...line, end: event.end }
  }
}

function placeOf(messages: readonly ViewMessage[], { id }: Ask): number {
  return messages.findLastIndex((line) => line.role === 'ask' && line.ask.id === id)
}

/** The newest text of the agent in a conversation; `''` where there is none. */
export function newestText(messages: readonly ViewMessage[]): string {
  const line = messages.findLast(({ role }) => role === 'assistant')
  return line?.role === 'assistant' ? line.text : ''
}

/** The conversation of a run, from its whole log and what was asked below it. */
export function conversationOf(
  events: readonly RunEvent[],
  delegated: readonly DelegatedViewEvent[] = [],
): { messages: ViewMessage[]; text: string } {
  const viewer = new Viewer()
  return conversationOfLines(
    events.flatMap((event) => viewer.see(event) ?? []),
    delegated,
  )
}

/** As `conversationOf`, from what a viewer saw of the log. */
export function conversationOfLines(
  lines: readonly LoggedViewEvent[],
  delegated: readonly DelegatedViewEvent[],
): { messages: ViewMessage[]; text: string } {
  const messages: ViewMessage[] = []
  for (const event of [...lines, ...delegated]) addToConversation(messages, event)
  return { messages, text: newestText(messages) }
}

/** An ask as people see it: without the rule, the check and whatever else settling needs. */
export function toAsk(from: {
  id: string
  kind: string
  run: string
  agent: string
  path: string[]
  repeat: number
  step: Step
  n: number
  tool: string
  input: Json
  options?: AskOption[]
  rule: Pick<AskRule, 'editable'>
  sinceMs: number
  untilMs?: number
}): Ask {
  const { id, kind, run, agent, path, repeat, step, n, tool, input, options, sinceMs, untilMs, rule } = from
  const ask: Ask = { id, kind, run, agent, path, repeat, step, n, tool, input, since: isoOf(sinceMs) }
  if (options) ask.options = options
  if (rule.editable) ask.editable = true
  if (untilMs !== undefined) ask.until = isoOf(untilMs)
  return ask
}

/** The end of an ask, as its person sees it. */
export function endOf(
  end: { outcome: Outcome; by: { type: string }; data?: Json; reason?: string },
  at: string,
): AskEnd {
  const by = end.by.type === 'person' ? 'you' : (end.by.type as AskEnd['by'])
  const seen: AskEnd = { outcome: end.outcome, by, at }
  if (end.data !== undefined) seen.data = end.data
  if (end.reason !== undefined) seen.reason = end.reason
  return seen
}
