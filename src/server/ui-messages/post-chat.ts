import {
  endOf,
  isoOf,
  type PersonHandle,
  QuerentError,
  type RunView,
  systemClock,
  textOf,
} from '../../protocol/core.ts'
import type { Line } from './lines.ts'
import { answersIn, inputOf, type PostedAnswer, type PostedMessage } from './posted.ts'
import type { Wanted } from './reply-stream.ts'
import { userMessageId } from './transcript.ts'

/** What the transport of `useChat` posts. Other fields are nothing to us. */
export interface ChatBody {
  id: string
  messages: PostedMessage[]
  trigger: 'submit-message' | 'regenerate-message'
  messageId?: string | undefined
}

/**
 * The newest message of a post. What is not the person's is no message to a run: it goes on with the answers in it.
 * @throws QuerentError T0008 where a reply is to be made again.
 */
export function newestOf({ messages, trigger }: ChatBody): PostedMessage {
  if (trigger !== 'submit-message') {
    throw new QuerentError(
      'T0008',
      'A reply is not made again: what a run has done is done. Send a message instead ("trigger": "submit-message").',
    )
  }
  // The schema has at least one.
  return messages.at(-1) as PostedMessage
}

/** Does what a post to a chat says, and gives the reply that is wanted for it. */
export async function postToChat(handle: PersonHandle, run: string, body: ChatBody): Promise<Wanted> {
  const newest = newestOf(body)
  const view = await handle.runs.get(run)
  const settled = await settleAnswers(handle, view, body.messages)
  if (newest.role !== 'user') return { shown: newest, ...settled }
  // An answer that did not count is void by now: a message withdraws what is open.
  return say(handle, view, { body, newest })
}

/**
 * Settles what the history answers and is open. Gives the first error, and what counted: that may lie in the mailbox still,
 * and the log not have it. What is open stays so.
 */
async function settleAnswers(
  { runs }: PersonHandle,
  { run, messages, seq }: RunView,
  posted: readonly PostedMessage[],
): Promise<{ failure?: QuerentError; counted: Line[] }> {
  const open = messages.flatMap((line) => (line.role === 'ask' && !line.end ? line.ask : []))
  const counted: Line[] = []
  let failure: QuerentError | undefined
  for (const answer of answersIn(posted, open)) {
    const at = { run, id: answer.ask.id }
    try {
      if ('approve' in answer) await runs.approve(at, answer.approve)
      else await runs.refuse(at, answer.refuse)
      counted.push(settledBy(answer, seq))
    } catch (error) {
      if (!(error instanceof QuerentError)) throw error
      // Somebody was faster: the reply shows what counted.
      if (!error.is('T0003')) failure ??= withAsk(error, answer.ask.id)
    }
  }
  return failure ? { failure, counted } : { counted }
}

/** What the log will say of an answer that was taken just now. */
function settledBy(answer: PostedAnswer, under: number): Line {
  const at = isoOf(systemClock.now())
  const by = { type: 'person' }
  const end =
    'approve' in answer
      ? endOf({ ...answer.approve, outcome: 'approved', by }, at)
      : endOf({ ...answer.refuse, outcome: 'refused', by }, at)
  return { type: 'ask.settled', under, at, ask: answer.ask, end }
}

/** A page with several forms must know whose error it is. */
function withAsk(error: QuerentError, ask: string): QuerentError {
  const { code, message, status, data } = error
  return new QuerentError(code, message, { status, data: { ...data, ask }, cause: error })
}

async function say(
  { runs }: PersonHandle,
  view: RunView,
  { body, newest }: { body: ChatBody; newest: PostedMessage },
): Promise<Wanted> {
  const text = inputOf(newest)
  const said = lineOf(view, body, newest)
  if (said) {
    const { line, isSurely } = said
    if (line.text === textOf(text)) return { after: line.seq - 1 }
    if (isSurely) {
      throw new QuerentError('T0014', 'A message that was sent cannot be changed: a run only goes on. Send a new one.')
    }
  }
  await runs.say({ run: view.run, text, key: newest.id })
  return { after: view.seq }
}

/**
 * The line of a message that was said before and that its id alone, as the key of `say`, does not tell of: one whose id we
 * gave, or the first, which started the run. A page that does not know the chat may begin it with a first message too.
 */
function lineOf({ run, messages }: RunView, { messages: posted, messageId }: ChatBody, newest: PostedMessage) {
  const lines = messages.flatMap((line) => (line.role === 'user' ? line : []))
  const ours = lines.find(({ seq }) => newest.id === userMessageId(run, seq))
  if (ours) return { line: ours, isSurely: true }
  const isAgain = messageId === newest.id
  const [first] = lines
  if (posted.length > 1 || !first || (lines.length > 1 && !isAgain)) return undefined
  return { line: first, isSurely: isAgain }
}
