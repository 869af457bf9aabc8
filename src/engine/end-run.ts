import { closeLog } from '../core/close.ts'
import type { Code } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import { absorbMail } from './absorb.ts'
import { readOutput } from './check-output.ts'
import { resolveFor } from './resolve-asks.ts'
import type { RunSession } from './session.ts'
import { closing } from './stop-run.ts'

/** Ends the run well, with its text or, where the agent has a schema for it, the value that the text is. */
export async function finishRun(session: RunSession, text: string): Promise<void> {
  const read = await readOutput(session.equipment.agent, text)
  await finishWith(session, text, read.ok ? read.output : undefined)
}

/** Ends the run well. */
export function finishWith(session: RunSession, text: string, output?: Json): Promise<void> {
  session.add('run.finished', output === undefined ? { text } : { text, output })
  return session.close({ status: 'done', output: output ?? text })
}

/** Ends the run as failed, its log closed. What was answered meanwhile goes into the log first. */
export async function failRun(session: RunSession, code: Code, message: string): Promise<void> {
  if (!(await session.flush())) return
  await stopChildren(session)
  for (const mail of session.mail) if (mail.kind !== 'message') absorbMail(session, mail)
  session.interrupt(message)
  const { texts } = session.parts
  const resolve = resolveFor(session.parts, session.equipment.agent)
  session.addClosing(closeLog(session.state, { because: 'end', failed: { code, message } }, { texts, resolve }))
  await session.close({ status: 'failed', error: { code, message } })
}

/** Runs that work for a run that fails would work for nobody. */
async function stopChildren({ state, parts }: RunSession): Promise<void> {
  const by = { type: 'run' } as const
  for (const { child, result } of state.calls.values()) {
    if (child === undefined || result) continue
    await parts.store.stopRun({ run: child, by, close: closing(parts, by) })
    parts.dispatcher.mailed(child)
  }
}
