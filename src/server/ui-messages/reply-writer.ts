import { QuerentError, type RunView, type ViewEvent } from '../../protocol/core.ts'
import { problemOf } from '../../protocol/problem.ts'
import { catchUp } from './catch-up.ts'
import type { PostedPart } from './posted.ts'
import type { Transcript } from './transcript.ts'
import type { UiChunk, UiMetadata } from './ui-message.ts'

const liveId = 'live'

/** Writes the newest reply of a chat, chunk by chunk, as its run goes on. */
export class ReplyWriter {
  private readonly transcript: Transcript
  /** The reply that the page was told of last. */
  private begun: string | undefined
  /** What the page shows of a text that is not stored yet. */
  private live: string | undefined

  constructor(transcript: Transcript) {
    this.transcript = transcript
  }

  /** Whether the page was told of the newest reply. */
  get isBegun(): boolean {
    return this.begun === this.transcript.messages.at(-1)?.id
  }

  /** A reply as it is now, for a page that shows these parts of it. */
  *whole(shown: readonly PostedPart[] = [], reply = this.transcript.reply()): Generator<UiChunk> {
    yield* this.begin(reply.id)
    yield* catchUp(reply.parts, shown)
  }

  *write(event: ViewEvent): Generator<UiChunk> {
    if (event.type === 'text.delta') return yield* this.writeLive(event.text)
    const live = this.live
    this.live = undefined
    const isStored = event.type === 'message' && event.role === 'assistant' && event.text === live
    // Text that came only in part (the page came late), or was refused, gives way to what is stored.
    if (live !== undefined) yield isStored ? { type: 'text-end', id: liveId } : { type: 'reset-step' }
    if (event.type === 'text.reset') return
    const chunks = this.transcript.apply(event)
    if (isStored || chunks.length === 0) return
    yield* this.begin()
    yield* chunks
  }

  /** The end of a stream whose run is at rest. */
  *finish(view: RunView): Generator<UiChunk> {
    const { run, status, usage, error } = view
    if (this.live !== undefined) yield { type: 'reset-step' }
    yield* this.begin()
    const messageMetadata: UiMetadata = { run, status, usage, ...(error ? { error } : {}) }
    if (error) {
      yield { type: 'message-metadata', messageMetadata }
      yield errorChunk(new QuerentError(error.code, error.message), error.message)
    } else {
      yield { type: 'finish', finishReason: finishReasons[status] ?? 'stop', messageMetadata }
    }
  }

  private *begin(messageId = this.transcript.reply().id): Generator<UiChunk> {
    if (this.begun === messageId) return
    this.begun = messageId
    yield { type: 'start', messageId, messageMetadata: { run: this.transcript.run } }
  }

  private *writeLive(text: string): Generator<UiChunk> {
    if (this.live === undefined) {
      this.live = ''
      yield* this.begin()
      yield* this.transcript.beginStep()
      yield { type: 'text-start', id: liveId }
    }
    this.live += text
    yield { type: 'text-delta', id: liveId, delta: text }
  }
}

/** `interrupted`: a page that answers by itself leaves a run that was stopped alone. */
const finishReasons: Partial<Record<RunView['status'], 'tool-calls' | 'interrupted'>> = {
  waiting: 'tool-calls',
  stopped: 'interrupted',
}

/** An error as it would be told in place of a stream: a page reads `error.message` the same way. */
export function errorChunk(error: QuerentError, detail?: string): UiChunk {
  const problem = problemOf(error)
  return { type: 'error', errorText: JSON.stringify(detail === undefined ? problem : { ...problem, detail }) }
}
