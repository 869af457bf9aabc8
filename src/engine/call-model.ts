import { nextTurn, pause } from '../core/ambient.ts'
import { QuerentError } from '../core/error.ts'
import { ModelError, type ModelMessage, type ModelReply, type ModelSettings, type Usage } from '../core/model.ts'
import { promptOf } from '../core/prompt.ts'
import { instructionsOf, readOutput } from './check-output.ts'
import { failRun } from './end-run.ts'
import { refusalOf } from './guard.ts'
import type { RunSession } from './session.ts'

/** Tries of one model call, the first included, where its errors say that trying again may help. */
const maxTries = 5
const firstWaitMs = 1000
const longestWaitMs = 60_000

/** Calls the model once and adds its reply, judged, to the log. A failure for good ends the run (T2005). */
export async function callModel(session: RunSession, turn: number): Promise<void> {
  let reply: ModelReply | undefined
  try {
    reply = await tracedReply(session, turn)
  } catch (error) {
    return failRun(session, 'T2005', `The model failed: ${messageOf(error)}`)
  }
  if (reply && !session.over) await addReply(session, turn, reply)
}

function tracedReply(session: RunSession, turn: number): Promise<ModelReply | undefined> {
  const { segment, equipment } = session
  if (!segment) return replyOf(session)
  const facts = { step: `model ${turn}`, model: equipment.model.id, settings: settingsOf(session) }
  return segment.model(facts, () => replyOf(session))
}

/** Adds a reply to the log: its calls under effects of our own, its text only where it passes. */
export async function addReply(session: RunSession, turn: number, reply: ModelReply): Promise<void> {
  const { state, equipment, held } = session
  const calls = reply.calls.map((call, index) => ({
    ...call,
    effect: `${held.run}.${state.repeat}.${turn}.${index + 1}`,
  }))
  const { messages, text, finish } = reply
  const rejection = await rejectionOf(session, reply)
  session.add('model.replied', {
    turn,
    messages,
    text,
    calls,
    usage: usageOf(reply.usage, {
      input: () => tokensIn(promptOf(state)),
      output: () => tokensIn(messages),
    }),
    finish,
    ...(equipment.fingerprint === state.fingerprint ? {} : { fingerprint: equipment.fingerprint }),
    ...(rejection ? { refused: { reason: rejection.reason, notice: rejection.notice } } : {}),
  })
  // Whoever watched it arrive must not keep it for the answer.
  if (rejection) session.emit({ type: 'text.reset' })
  const failed = calls.length === 0 ? endBy(session, reply, rejection) : undefined
  if (failed) await failRun(session, failed.code, failed.message)
}

/** Why the text of a reply is kept from the person, what the model is told of it, and how the run ends where it must. */
interface Rejection {
  code: 'T2005' | 'T2006' | 'T2007'
  /** For the person: without the words of a guard, which may quote what they must not see. */
  error: string
  reason: string
  notice: string
}

async function rejectionOf(session: RunSession, reply: ModelReply): Promise<Rejection | undefined> {
  const { texts } = session.parts
  const guarded = await refusalOfText(session, reply.text)
  if (guarded !== undefined) {
    const error = 'A guard refused the text'
    return { code: 'T2006', error, reason: `${error}: ${guarded}`, notice: texts.notShown(guarded) }
  }
  if (reply.calls.length > 0) return undefined
  const unsaid = reply.text.trim() === '' ? whyUnsaid[reply.finish] : undefined
  if (unsaid !== undefined) {
    const error = `The model gave no answer: ${unsaid}`
    return { code: 'T2005', error, reason: error, notice: texts.notShown(unsaid) }
  }
  const read = await readOutput(session.equipment.agent, reply.text)
  if (read.ok) return undefined
  const error = `The final answer does not fit: ${read.problems}`
  return { code: 'T2007', error, reason: error, notice: texts.outputMisfit(read.problems) }
}

/** An end that comes before anything was said. Taken for the final answer, a run would be done with nothing in hand. */
const whyUnsaid: Partial<Record<ModelReply['finish'], string>> = {
  'content-filter': 'a filter of the provider withheld the reply',
  length: 'its output tokens were used up before it said anything',
}

/** How the run ends by a reply that calls nothing, where that is no good end. */
function endBy(session: RunSession, reply: ModelReply, rejection: Rejection | undefined) {
  const { steps, tokensOut } = session.limits
  const { turns, usage } = session.state
  if (reply.finish === 'length' && tokensOut !== undefined && usage.outputTokens >= tokensOut) {
    const message = `The answer was cut off: the run used ${usage.outputTokens} output tokens of ${tokensOut} (limits.perRun.tokensOut).`
    return { code: 'T2002', message } as const
  }
  if (!rejection) return undefined
  const { code, error } = rejection
  // Asked again, the same prompt would mostly end the same way, and cost the same.
  if (code === 'T2005') return { code, message: `${error} (model ${turns}).` }
  if (turns < steps) return undefined
  return { code, message: `${error} (model ${turns}), and no model call is left in this round for another.` }
}

async function refusalOfText(session: RunSession, text: string): Promise<string | undefined> {
  if (text === '') return undefined
  return refusalOf(session.equipment.agent, text, { run: session.facts.run, direction: 'out', kind: 'text' })
}

/** The reply, after as many tries as it takes. Nothing: the work on the run was ended. Rejects where the model fails for good. */
async function replyOf(session: RunSession): Promise<ModelReply | undefined> {
  const { clock, logger } = session.parts
  // A large log has just been read. Before its prompt is made, others may have the process.
  await nextTurn()
  for (let attempt = 1; ; attempt++) {
    try {
      return await oneCall(session)
    } catch (error) {
      if (session.signal.aborted) return undefined
      const again = error instanceof ModelError && error.retryable && attempt < maxTries
      logger.warn('model call failed', { run: session.held.run, attempt, again, error: messageOf(error) })
      session.emit({ type: 'text.reset' })
      if (!again) throw error
      const waitMs = Math.min(error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1), longestWaitMs)
      // An abort ends the wait; the loop sees why.
      const waited = await pause(clock, waitMs, session.signal).then(
        () => true,
        () => false,
      )
      if (!waited) return undefined
    }
  }
}

async function oneCall(session: RunSession): Promise<ModelReply> {
  const { agent, model, modelTools } = session.equipment
  const guarded = agent.guards.out.length > 0
  const messages = promptOf(session.state).map((text) => JSON.parse(text) as ModelMessage)
  const settings = settingsOf(session)
  const { signal } = session
  const request = {
    messages,
    tools: modelTools,
    instructions: instructionsOf(agent, session.parts.texts),
    settings,
    signal,
  }
  const outputSchema = agent.output?.json
  for await (const part of model.step(outputSchema === undefined ? request : { ...request, outputSchema })) {
    if (part.type === 'reply') return part
    // With out guards nothing is shown before they passed the whole.
    if (!guarded && !signal.aborted) session.emit({ type: 'text.delta', text: part.text })
  }
  throw new ModelError('The model ended its reply half-way.', { retryable: true })
}

function settingsOf(session: RunSession): ModelSettings {
  const { settings } = session.equipment.agent
  const { limits } = session
  if (limits.tokensOut === undefined) return settings
  const left = limits.tokensOut - session.state.usage.outputTokens
  return { ...settings, maxOutputTokens: Math.min(left, settings.maxOutputTokens ?? left) }
}

/** What a reply cost: as its provider reports it; what none reports is estimated, and said to be so. */
export function usageOf(
  reported: ModelReply['usage'] = {},
  estimate: { input: () => number; output: () => number },
): Usage {
  // Called only where they are needed: to estimate is to build the whole prompt once more.
  const inputTokens = reported.inputTokens ?? estimate.input()
  const outputTokens = reported.outputTokens ?? estimate.output()
  const usage: Usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
  if (reported.inputTokens === undefined || reported.outputTokens === undefined) usage.estimated = true
  return usage
}

/** About four characters a token. */
export function tokensIn(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4)
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof QuerentError || error instanceof Error) return error.message
  return String(error)
}
