import { type Agent, type AgentOutputType, Runner } from '@openai/agents'
import { type Code, type Driver, type ModelReply, QuerentError, type RunFacts, type Session } from 'querent/extension'
import { decideAbout } from './decide.ts'
import { patched } from './delta.ts'
import { toItems } from './input.ts'
import { beginRound, tokensBefore } from './rounds.ts'
import { type HeldCall, type SdkAgent, type Turn, takeTurn } from './turn.ts'

/** What `openaiAgents` takes besides the agent. */
export interface OpenAIAgentsOptions<TContext> {
  /** Runs the agent: with a model provider, guardrails or tracing of your own. Default: `new Runner()`. */
  runner?: Runner
  /**
   * The context of the SDK, which tools and instructions are given. Made anew in every process, and never stored: make it
   * of what the run is. Default: an empty object.
   */
  context?(run: RunFacts): TContext | Promise<TContext>
}

/**
 * Runs an agent of the OpenAI Agents SDK as one of ours: `agent('clerk', { driver: openaiAgents(clerk) })`. Its model,
 * tools, handoffs and guardrails are the SDK's; asking, parking, rounds, limits and out guards are ours.
 *
 * - A call that needs approval is an ask of kind `approval` at `tool N.M`, with its tool and arguments. All that a turn
 *   stops at open together. A refusal, its reason and an expiry reach the model as the result of the call.
 * - `askTool()` among its tools lets it ask questions (with `questions: true` on ours).
 * - After each turn (a model call and the calls it makes; or the calls that were decided about) the state of the SDK is
 *   kept in our log: another process goes on from there. If a process dies within a turn, that turn is done again: the
 *   model is asked again, and a tool that had run without approval runs again. Tools that were approved run in a turn of
 *   their own.
 * - A message of the person goes on with the history. What the agent ends with ends the run; what it throws fails it
 *   (T2005). `limits.steps` counts model calls; the SDK's own `maxTurns` is not used.
 *
 * Text is shown when a turn is stored, not as it arrives.
 */
export function openaiAgents<TContext, TOutput extends AgentOutputType>(
  agent: Agent<TContext, TOutput>,
  options: OpenAIAgentsOptions<TContext> = {},
): Driver {
  const { runner = new Runner(), context = () => ({}) } = options
  // What it is given and what it ends with are the builder's business: here both are values like any other.
  const setup: Setup = { agent: agent as unknown as SdkAgent, runner, context }
  return { name: 'openai-agents', drive: (session) => drive(session, setup) }
}

interface Setup {
  agent: SdkAgent
  runner: Runner
  context(run: RunFacts): unknown
}

/** Called from the top at every claim: turns that are in the log are not done again. */
async function drive(session: Session, setup: Setup): Promise<void> {
  const { round } = session
  const sent = await session.keep(`input ${round}`, () => session.input())
  let begin = beginRound(session.log, round, toItems(sent))
  let calls = 0
  let tokensOut = tokensBefore(session.log, round)
  const refused: HeldCall[] = []
  for (let n = 1; ; n++) {
    const limit = begin.decisions.length === 0 ? limitReached(session, calls, tokensOut) : undefined
    if (limit) return session.fail(limit)
    const turn = await keepTurn(session, setup, `turn ${round}.${n}`, begin)
    if (!turn) return
    const state = patched(begin.state, turn.delta)
    if (turn.reply) calls++
    tokensOut += turn.reply?.usage?.outputTokens ?? 0
    const { notShown } = turn.reply ? await session.reply(toReply(turn, turn.reply)) : {}
    if (turn.end && notShown === undefined) return session.finish(turn.end.output)
    // Nothing is open: the message goes into the next prompt, as it would in the built-in loop.
    if (session.hasMessage && turn.held.length === 0) return
    const decisions = await decideAbout(session, turn.held, refused)
    if (!decisions) return
    begin = { state, decisions, input: notShown === undefined ? [] : toItems([notShown]) }
  }
}

/** Does a turn, or takes it from the log. Nothing: the run has failed. */
async function keepTurn(
  session: Session,
  { agent, runner, context }: Setup,
  key: string,
  begin: Parameters<typeof takeTurn>[1],
): Promise<Turn | undefined> {
  let thrown: { error: unknown } | undefined
  const work = async () => {
    try {
      return await takeTurn({ agent, runner, context: await context(session.run) }, begin, session.signal)
    } catch (error) {
      thrown = { error }
      throw error
    }
  }
  try {
    return await session.keep(key, work)
  } catch (error) {
    // What the store throws is not the agent's fault, and another worker may have better luck.
    if (thrown?.error !== error || session.signal.aborted) throw error
    const code = error instanceof QuerentError ? error.code : 'T2005'
    await session.fail({ code, message: `The agent "${agent.name}" failed: ${messageOf(error)}` })
    return undefined
  }
}

function limitReached({ agent }: Session, calls: number, used: number): { code: Code; message: string } | undefined {
  const { steps, tokensOut } = agent.limits
  if (calls >= steps) {
    return { code: 'T2001', message: `The round used its ${steps} model calls (limits.steps), and needs one more.` }
  }
  if (tokensOut === undefined || used < tokensOut) return undefined
  return { code: 'T2002', message: `The run used ${used} output tokens of ${tokensOut} (limits.perRun.tokensOut).` }
}

function toReply({ end }: Turn, { text, usage }: NonNullable<Turn['reply']>): ModelReply {
  return {
    type: 'reply',
    messages: text === '' ? [] : [JSON.stringify({ role: 'assistant', content: text })],
    text,
    calls: [],
    ...(usage ? { usage } : {}),
    finish: end ? 'stop' : 'tool-calls',
  }
}

/** What an error says, and what it came from where that says more. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== error.message
    ? `${error.message} (${error.cause.message})`
    : error.message
}
