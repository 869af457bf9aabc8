import { type AskEnd, questionText } from '../../protocol/core.ts'
import { changeChunks, chunksOf } from './chunks-of.ts'
import { isBelow, type Line } from './lines.ts'
import type { ToolPart, UiChunk, UiMessage, UiPart } from './ui-message.ts'

/** The id of a message of the person. It is made of its line: a page keeps its own id of it only until it is loaded anew. */
export function userMessageId(run: string, seq: number): string {
  return `${run}.${seq}`
}

type LineOf<T extends Line['type']> = Line & { type: T }

/**
 * A chat as messages, from the lines of a run's view. Each message of the person is one; all that follows it, to the next,
 * is one reply, with a step for each turn. Ids come from the lines alone: the same after a reload, in any process.
 */
export class Transcript {
  readonly messages: UiMessage[] = []
  readonly run: string
  /** The turn that the step of the reply is of; nothing where only text has begun it. */
  private turn: string | undefined
  private readonly asks = new Map<string, ToolPart>()
  /** Calls that are not over, by step: an approval that runs is the same part. A message may come before they are. */
  private readonly calls = new Map<string, ToolPart>()

  constructor(run: string, lines: readonly Line[] = []) {
    this.run = run
    for (const line of lines) this.apply(line)
  }

  /** The reply to the newest message of the person. */
  reply(): UiMessage {
    const last = this.messages.at(-1)
    if (last?.role === 'assistant') return last
    const reply: UiMessage = {
      id: `${last?.id ?? this.run}.reply`,
      role: 'assistant',
      parts: [],
      metadata: { run: this.run },
    }
    this.messages.push(reply)
    return reply
  }

  /** Adds a line. Gives the chunks that add it to the newest reply of a page. */
  apply(line: Line): UiChunk[] {
    switch (line.type) {
      case 'message':
        return this.addText(line)
      case 'ask.opened':
        return this.openAsk(line)
      case 'ask.settled':
        return this.settleAsk(line)
      case 'tool':
        return this.addTool(line)
      case 'status':
        return this.end(line)
    }
  }

  /** Begins a step, where the one of the reply has anything in it, or there is none. */
  beginStep(): UiChunk[] {
    const { parts } = this.reply()
    this.turn = undefined
    if (parts.at(-1)?.type === 'step-start') return []
    return [...this.closeCalls(), ...this.push({ type: 'step-start' })]
  }

  private addText({ role, seq, text }: LineOf<'message'>): UiChunk[] {
    if (role === 'assistant') return [...this.beginStep(), ...this.push({ type: 'text', text, state: 'done' })]
    this.messages.push({ id: userMessageId(this.run, seq), role, parts: [{ type: 'text', text }] })
    this.turn = undefined
    return []
  }

  private openAsk({ ask }: LineOf<'ask.opened'>): UiChunk[] {
    // A watch tells of what was asked by runs below from the beginning.
    if (this.asks.has(ask.id)) return []
    const asked = { toolCallId: ask.id, input: ask.input, toolMetadata: { ask, text: questionText(ask) } }
    const part: ToolPart =
      ask.kind === 'approval'
        ? {
            ...{ type: 'dynamic-tool', toolName: ask.tool, ...asked, state: 'approval-requested' },
            ...{ providerExecuted: true, approval: { id: ask.id } },
          }
        : { type: `tool-${ask.kind}`, ...asked, state: 'input-available' }
    const step = this.stepOf(ask.step)
    this.asks.set(ask.id, part)
    if (part.approval) this.calls.set(ask.step, part)
    return [...step, ...this.handOver(ask.step), ...this.push(part)]
  }

  /**
   * A delegated call below which somebody is asked shows what it does by that. As one that is at work it would stand beside
   * what is open for as long, and a page that sends answers by itself waits until no call is at work.
   */
  private handOver(step: string): UiChunk[] {
    const call = isBelow(step) ? this.calls.get(step.split('/', 1)[0] ?? '') : undefined
    if (call?.state !== 'input-available') return []
    Object.assign(call, { state: 'output-available', output: null })
    return this.changed(call)
  }

  private settleAsk({ ask, end }: LineOf<'ask.settled'>): UiChunk[] {
    const part = this.asks.get(ask.id)
    if (!part || part.toolMetadata?.end) return []
    part.providerExecuted = true
    part.toolMetadata = { ask, text: questionText(ask), end }
    // What a tool asks stands at the step of its call, which goes on.
    if (end.outcome !== 'approved' && this.calls.get(ask.step) === part) this.calls.delete(ask.step)
    if (part.approval && (end.outcome === 'approved' || end.outcome === 'refused')) respond(part, end)
    else if (end.outcome === 'approved') Object.assign(part, { state: 'output-available', output: end.data ?? null })
    else Object.assign(part, { state: 'output-error', errorText: end.reason ?? whyNot[end.outcome] })
    return this.changed(part)
  }

  private addTool({ step, tool, state, failed }: LineOf<'tool'>): UiChunk[] {
    const known = this.calls.get(step)
    if (state === 'started') {
      // One that was approved is shown already.
      if (known) return []
      const toolCallId = `${this.reply().id}.${step}`
      const call = { toolName: tool, toolCallId, state: 'input-available', input: {}, providerExecuted: true } as const
      const part: ToolPart = { type: 'dynamic-tool', ...call }
      const begun = this.stepOf(step)
      this.calls.set(step, part)
      return [...begun, ...this.push(part)]
    }
    if (!known) return []
    this.calls.delete(step)
    if (failed) Object.assign(known, { state: 'output-error', errorText: 'The tool failed.' })
    else Object.assign(known, { state: 'output-available', output: null })
    return this.changed(known)
  }

  private end({ status, output }: LineOf<'status'>): UiChunk[] {
    const closed = this.closeCalls()
    if (status !== 'done' || output === undefined) return closed
    return [...closed, ...this.push({ type: 'data-output', id: 'output', data: output })]
  }

  /** Begins the step of the turn that a call is of, where the reply is not in it. A child's calls are of its parent's. */
  private stepOf(step: string): UiChunk[] {
    const turn = /^\w+ (\d+)\./.exec(step)?.[1]
    const isOpen =
      this.reply().parts.length > 0 && (this.turn === undefined || turn === undefined || turn === this.turn)
    const begun = isOpen ? [] : this.beginStep()
    this.turn = turn ?? this.turn
    return begun
  }

  /**
   * Nobody tells how an approved call ended that never ran, or that a child ran. Left as it is, it would be answered for
   * ever, and a page that sends answers by itself would send it again and again.
   */
  private closeCalls(): UiChunk[] {
    const parts = this.messages.at(-1)?.parts ?? []
    return parts.flatMap((part) => {
      if (!('approval' in part) || part.state !== 'approval-responded') return []
      if (isBelow(part.toolMetadata?.ask.step ?? '')) Object.assign(part, { state: 'output-available', output: null })
      else Object.assign(part, { state: 'output-error', errorText: 'Not run.' })
      this.calls.delete(part.toolMetadata?.ask.step ?? '')
      return this.changed(part)
    })
  }

  private push(part: UiPart): UiChunk[] {
    this.reply().parts.push(part)
    return chunksOf(part)
  }

  /** A part of an earlier reply is none of the newest, and a page would not find it there. */
  private changed(part: ToolPart): UiChunk[] {
    return this.messages.at(-1)?.parts.includes(part) ? changeChunks(part) : []
  }
}

const whyNot = {
  approved: '',
  refused: 'Refused.',
  expired: 'Nobody answered in time.',
  withdrawn: 'Withdrawn.',
}

/** Approved, it is about to run, and shows so until it has; refused, it is over. */
function respond(part: ToolPart, { outcome, reason }: AskEnd): void {
  const approved = outcome === 'approved'
  part.state = approved ? 'approval-responded' : 'output-denied'
  part.approval = { id: part.toolCallId, approved, ...(reason === undefined ? {} : { reason }) }
}
