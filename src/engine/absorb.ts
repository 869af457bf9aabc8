import type { EventData } from '../core/event.ts'
import type { RunState } from '../core/fold.ts'
import type { Texts } from '../core/texts.ts'
import { resultOf, type ToolResult } from '../core/tool.ts'
import type { ChildEnd, Mail } from '../store/store.ts'
import type { RunSession } from './session.ts'

/**
 * Copies the mailbox into the log, in the order it came. An ask that is not stored yet goes first: it must find a message
 * in the mailbox, and be withdrawn for it. Behind it the ask would open, and the message would wait for its answer.
 */
export async function absorb(session: RunSession): Promise<void> {
  if (session.opensAsks && session.mail.some(isMessage)) await session.flush()
  for (const mail of session.mail) absorbMail(session, mail)
}

/** Whether it is a message of the person, or of backend code. */
export function isMessage(mail: Mail): boolean {
  return mail.kind === 'message'
}

/** Copies one mail into the log. */
export function absorbMail(session: RunSession, mail: Mail): void {
  const { type, data } = factOf(mail, session.state, session.parts.texts)
  // A message is stored before the model hears of it: what a model may have been told must be in the log.
  if (type === 'message.added') session.add(type, data)
  else session.addKnown(type, data)
  session.consume(mail)
}

type Fact = { [T in 'ask.settled' | 'message.added' | 'tool.returned']: { type: T; data: EventData[T] } }[
  | 'ask.settled'
  | 'message.added'
  | 'tool.returned']

/** What a mail is in the log. */
export function factOf(mail: Mail, { calls }: RunState, texts: Texts): Fact {
  if (mail.kind === 'settled') return { type: 'ask.settled', data: mail.settlement }
  if (mail.kind === 'message') return { type: 'message.added', data: { from: mail.from, content: mail.content } }
  const { effect, usage } = mail.data
  const result = resultOfChild(mail.data, calls.get(effect)?.tool ?? 'child', texts)
  return { type: 'tool.returned', data: { effect, result, usage } }
}

function resultOfChild({ status, output }: ChildEnd, tool: string, texts: Texts): ToolResult {
  if (status === 'done') return resultOf(output)
  return { type: 'error', value: texts.childFailed(tool, status === 'stopped' ? texts.stopped : String(output)) }
}
