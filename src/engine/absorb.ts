import { resultOf } from '../core/tool.ts'
import type { Mail } from '../store/store.ts'
import type { RunSession } from './session.ts'

/** Copies the mailbox into the log, in the order it came. */
export function absorb(session: RunSession): void {
  for (const mail of session.mail) absorbMail(session, mail)
}

/** Copies one mail into the log. */
export function absorbMail(session: RunSession, mail: Mail): void {
  if (mail.kind === 'settled') session.addKnown('ask.settled', mail.settlement)
  else if (mail.kind === 'message') session.addKnown('message.added', { from: mail.from, content: mail.content })
  else {
    const { effect, status, output, usage } = mail.data
    const result = status === 'done' ? resultOf(output) : { type: 'error' as const, value: String(output) }
    session.addKnown('tool.returned', { effect, result, usage })
  }
  session.consume(mail)
}
