import type { Ask } from '../core/ask.ts'
import { QuerentError } from '../core/error.ts'
import type { RunActions } from '../core/helper.ts'
import type { Json } from '../core/json.ts'
import type { Printing } from './command.ts'
import { errorText } from './print-error.ts'
import { askPerson } from './terminal/ask-person.ts'
import { Left, type Prompter } from './terminal/prompter.ts'

/** Lets the person at the terminal answer one ask. What does not fit is said, and asked again. */
export async function answerAsk(
  command: Printing,
  options: { helper: RunActions; ask: Ask; prompter: Prompter; signal: AbortSignal },
): Promise<'settled' | Left> {
  const { helper, ask, prompter, signal } = options
  let before: Json | undefined
  for (;;) {
    const reply = await askPerson(ask, prompter, { before, signal })
    if (reply instanceof Left) return reply.by === 'settled' ? 'settled' : reply
    try {
      if (reply.type === 'refuse') await helper.refuse(ask, { reason: reply.reason })
      else await helper.approve(ask, { data: reply.data })
      return 'settled'
    } catch (error) {
      if (!(error instanceof QuerentError)) throw error
      command.output.lines(errorText(error, command.called))
      if (error.is('T0003') || error.is('T0005')) return 'settled'
      if (!(error.is('T0002') || error.is('T0012'))) throw error
      before = reply.type === 'approve' ? reply.data : undefined
    }
  }
}
