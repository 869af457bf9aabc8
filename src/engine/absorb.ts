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
  if (mail.kind === 'settled') session.addKnown('ask.settled', mail.settlement)
  else if (mail.kind === 'message') {
    // Stored before the model hears of it: a stop drops what lies in the mailbox, and the prompt would shrink.
    session.add('message.added', { from: mail.from, content: mail.content })
  } else {
    const { effect, usage } = mail.data
    session.addKnown('tool.returned', { effect, result: resultOfChild(session, mail.data), usage })
  }
  session.consume(mail)
}

function resultOfChild(session: RunSession, { effect, status, output }: ChildEnd): ToolResult {
  if (status === 'done') return resultOf(output)
  const { texts } = session.parts
  const why = status === 'stopped' ? texts.stopped : String(output)
  return { type: 'error', value: texts.childFailed(session.state.calls.get(effect)?.tool ?? 'child', why) }
}
