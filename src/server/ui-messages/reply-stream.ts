import { type PersonHandle, QuerentError, type RunView, type ViewEvent } from '../../protocol/core.ts'
import { type Line, seqOf } from './lines.ts'
import type { PostedMessage } from './posted.ts'
import { errorChunk, ReplyWriter } from './reply-writer.ts'
import { Transcript } from './transcript.ts'
import type { UiChunk } from './ui-message.ts'

/** A run as a chat, for the person whose it is. */
export interface Chat {
  run: string
  handle: PersonHandle
  /** The lines of its view, up to now. */
  lines(): Promise<Line[]>
}

/** Which reply a stream gives. */
export type Wanted =
  /** The whole reply to the person's next message after this line; where none comes, the newest. */
  | { after: number }
  /** The rest of the reply that a page shows. `failure`: why an answer in it did not count; `counted`: those that did. */
  | { shown: PostedMessage; failure?: QuerentError; counted: Line[] }
  /** The whole of the newest reply, and of those that follow. */
  | 'newest'

/** Gives a reply until the run is at rest, or the person has written something else. */
export async function* replyStream(chat: Chat, wanted: Wanted, signal: AbortSignal): AsyncGenerator<UiChunk> {
  try {
    yield* reply(chat, wanted, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    // A stream that just ended would look like a reply that is over.
    const detail = 'The stream was cut, and the run goes on. Resume the stream.'
    yield errorChunk(new QuerentError('T3004', detail), detail)
  }
}

async function* reply(chat: Chat, wanted: Wanted, signal: AbortSignal): AsyncGenerator<UiChunk> {
  const lines = await chat.lines()
  const isNext = typeof wanted === 'object' && 'after' in wanted
  const after = isNext ? wanted.after : Math.max(0, ...lines.map(seqOf))
  const transcript = new Transcript(
    chat.run,
    lines.filter((line) => seqOf(line) <= after),
  )
  const writer = new ReplyWriter(transcript)
  if (wanted === 'newest') yield* writer.whole()
  else if ('shown' in wanted) {
    const { shown, failure, counted } = wanted
    // A stream that ends here must not take back on the page what was accepted, and what the log does not have yet.
    if (failure) for (const line of counted) transcript.apply(line)
    const message = transcript.messages.find(({ id, role }) => id === shown.id && role === 'assistant')
    yield* writer.whole(shown.parts, message)
    if (failure) return yield errorChunk(failure)
    if (!writer.isBegun) return yield { type: 'finish' }
  }
  let isDue = !isNext
  for await (const event of follow(chat, after, signal)) {
    if (event.type === 'rest') {
      // It was said before: a post that came twice.
      if (!isDue) yield* writer.whole()
      return yield* writer.finish(event.view)
    }
    const isTheirs = event.type === 'message' && event.role === 'user'
    if (isTheirs && isDue && writer.isBegun && wanted !== 'newest') return yield { type: 'finish' }
    isDue ||= isTheirs
    if (isDue) yield* writer.write(event)
    else if (isLine(event)) transcript.apply(event)
  }
}

function isLine(event: ViewEvent): event is Line {
  return event.type !== 'text.delta' && event.type !== 'text.reset'
}

/** What happens in a run until it is at rest, every line of it, and then how it is. */
async function* follow(
  { run, handle, lines }: Chat,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ViewEvent | { type: 'rest'; view: RunView }> {
  const over = new AbortController()
  const rest = handle.runs.atRest(run, { signal }).finally(() => over.abort())
  // Whoever is told of it is so below.
  rest.catch(() => undefined)
  let seen = after
  for await (const event of handle.runs.watch(run, { after, signal: over.signal })) {
    if ('seq' in event) seen = event.seq
    yield event
  }
  const view = await rest
  // The watch was ended in the middle of it.
  for (const line of await lines()) if (!('seq' in line) || (line.seq > seen && line.seq <= view.seq)) yield line
  yield { type: 'rest', view }
}
