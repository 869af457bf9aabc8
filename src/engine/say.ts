import { QuerentError } from '../core/error.ts'
import type { RunStatus } from '../core/event.ts'
import type { UserInput } from '../core/model.ts'
import { textOf } from '../core/view.ts'
import type { RunRow } from '../store/store.ts'
import { checkGuards, checkInput, keyOf, keyReused, type WriteParts, withOffer } from './start-run.ts'
import { type Caller, knownRun, noSuchRun } from './views.ts'

/**
 * Puts a message into the run's mailbox. Open asks are withdrawn; a run that is over goes on with a new round.
 * @throws QuerentError T0001, T3101, T0011, T0009, T0012, T0014.
 */
export async function sayToRun(
  parts: WriteParts,
  caller: Caller,
  message: { run: string; text: UserInput; key?: string },
): Promise<{ run: string; status: RunStatus }> {
  const { store, dispatcher } = parts
  const row = await knownRun(store, caller, message?.run)
  if (caller.type === 'system' && row.starter.type === 'person') {
    throw new QuerentError(
      'T3101',
      `Run ${row.id} was started by a person: only they write to it. Use engine.as(person).`,
    )
  }
  const content = checkInput(message.text)
  await checkAgent(parts, row, content)
  const offer = dispatcher.offer(row.agent)
  const added = await withOffer(dispatcher, offer, () =>
    store.addMessage({
      run: row.id,
      from: caller.type === 'person' ? 'person' : 'system',
      content,
      ...keyOf(message.key, content),
      ...(offer ? { claim: offer } : {}),
    }),
  )
  if (added.case === 'none') throw noSuchRun(row.id)
  if (added.case === 'reused') throw keyReused(message.key)
  if (added.case === 'accepted') {
    if (!added.claim) dispatcher.mailed(row.id)
    if (added.readied) dispatcher.hint()
  }
  return { run: row.id, status: added.status }
}

/** Whether the run's agent takes this message: its limits leave room for a round, and its guards let the text in. */
async function checkAgent({ registry }: WriteParts, row: RunRow, content: UserInput): Promise<void> {
  const agent = registry.find(row.agent)
  if (!agent) return checkWithoutAgent(row, registry.names.length > 0)
  const { tokensOut } = agent.limits
  if (tokensOut !== undefined && row.usage.outputTokens >= tokensOut) {
    throw new QuerentError(
      'T0011',
      `Run ${row.id} has used its ${tokensOut} output tokens and cannot go on. Start a new run.`,
    )
  }
  await checkGuards(agent, row.id, 'message', textOf(content))
}

/** A process without the agent stores the message for one that has it, where no guard must see it first. */
function checkWithoutAgent(row: RunRow, hasOthers: boolean): void {
  if (hasOthers && ['done', 'failed', 'stopped'].includes(row.status)) {
    throw new QuerentError(
      'T0011',
      `The agent "${row.agent}" of run ${row.id} is not here any more. Give it as an alias of its successor.`,
    )
  }
  if (!row.guarded) return
  // Passed on unseen, a message would reach the model past the guards.
  throw new QuerentError(
    'T0009',
    `The guards of agent "${row.agent}" must see this message, and this process does not have it. Send it where the agent is.`,
  )
}
