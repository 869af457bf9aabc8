import {
  type Agent,
  type AgentInputItem,
  type AgentOutputType,
  MaxTurnsExceededError,
  type ModelResponse,
  RunContext,
  type Runner,
  RunResult,
  RunState,
  type RunToolApprovalItem,
  type Usage,
} from '@openai/agents'
import type { Json } from 'querent/extension'
import { isQuestion, withAnswers } from './ask-tool.ts'
import { type Delta, deltaOf } from './delta.ts'

/** Whatever it is given and ends with. */
export type SdkAgent = Agent<unknown, AgentOutputType>
type State = RunState<unknown, SdkAgent>

/** A call that the SDK stopped at, until somebody decides. */
export type HeldCall = {
  callId: string
  tool: string
  input: Json
  /** A call of `askTool()`. */
  question: boolean
}

/** What one turn of the SDK came to, as our log keeps it. */
export type Turn = {
  /** The state of the SDK after it, as what it has that the one before had not. */
  delta: Delta
  /** What the model said, where one was called; usage where the provider told it. */
  reply: { text: string; usage: { inputTokens: number; outputTokens: number } | null } | null
  held: HeldCall[]
  /** What the run ended with, where it did. */
  end: { output: Json } | null
}

/** What somebody decided about a held call. `answer`: what a question was answered with. */
export type Decision = { approved: true; answer?: string } | { approved: false; message: string }

/**
 * Where a turn begins: the state (`null`: none yet), what was decided about the calls that were held, and what the model is
 * to hear besides.
 */
export type Begin = { state: Json; decisions: Decision[]; input: AgentInputItem[] }

/**
 * Does one turn of the SDK: with decisions, the calls that were held and no more; else one model call, and the calls it
 * makes that nobody must decide about. Between turns the state is stored, so that what was done is not done again.
 */
export async function takeTurn(
  { agent, runner, context }: { agent: SdkAgent; runner: Runner; context: unknown },
  begin: Begin,
  signal: AbortSignal,
): Promise<Turn> {
  const state = await stateOf(agent, new RunContext(context), begin)
  const answers = decide(state, begin.decisions)
  const before = new RunResult(state).rawResponses.length
  // The SDK goes on until it is stopped. A limit of turns stops it with its state whole, before the next model call.
  const maxTurns = turnsOf(begin) + (begin.decisions.length > 0 ? 0 : 1)
  const after = await withAnswers(answers, () => run(runner, { agent, state, maxTurns, signal }))
  return turnOf(after, { before, state: begin.state })
}

/** The fields of a state of the SDK that are read here. */
type Stored = {
  currentTurn: number
  currentStep?: { type: string }
  context: { [key: string]: Json }
  pendingAgentToolRuns?: { [call: string]: string }
}

/** Turns that a run of the SDK has had. One that has ended begins anew. */
function turnsOf({ state }: Begin): number {
  return state === null || isOver(state) ? 0 : (state as Stored).currentTurn
}

function isOver(state: Json): boolean {
  return (state as Stored).currentStep?.type === 'next_step_final_output'
}

async function stateOf(agent: SdkAgent, context: RunContext<unknown>, { state: json, input }: Begin): Promise<State> {
  if (json === null) return new RunState(context, input, agent, null)
  const state = await RunState.fromStringWithContext(agent, JSON.stringify(json), context)
  if (!isOver(json)) {
    if (input.length > 0) state.addInput(input)
    return state
  }
  // A run of the SDK that has ended does not go on; its history is where the next one begins, with the agent that spoke.
  const next = new RunState(context, [...state.history, ...input], agent, null)
  next.setCurrentAgent(state.currentAgent)
  return next
}

/** Tells the SDK what was decided, and gives the answers to questions by call. */
function decide(state: State, decisions: Decision[]): Map<string, string> {
  const answers = new Map<string, string>()
  const held = decisions.length > 0 ? state.getInterruptions() : []
  for (const [index, item] of held.entries()) {
    const decision = decisions[index]
    if (!decision?.approved) {
      state.reject(item, { message: decision?.message ?? '' })
      continue
    }
    state.approve(item)
    if (decision.answer === undefined) continue
    const callId = callIdOf(item)
    // With one id for two questions each would get the answer of the other.
    if (answers.has(callId)) throw new Error(`Two questions came under the call id "${callId}" at the same time.`)
    answers.set(callId, decision.answer)
  }
  return answers
}

async function run(
  runner: Runner,
  { agent, state, ...options }: { agent: SdkAgent; state: State; maxTurns: number; signal: AbortSignal },
): Promise<State> {
  try {
    return (await runner.run(agent, state, options)).state
  } catch (error) {
    // That of an agent inside a tool is a fault of that agent.
    if (error instanceof MaxTurnsExceededError && error.state === state) return state
    throw error
  }
}

function turnOf(state: State, { before, state: old }: { before: number; state: Json }): Turn {
  const result = new RunResult(state)
  // Each turn has a limit of its own.
  const json = { ...storable(toJson(state.toJSON())), maxTurns: null }
  return {
    delta: deltaOf(old, json),
    reply: replyOf(result.rawResponses.slice(before), state.usage),
    held: state.getInterruptions().map(toHeldCall),
    end: isOver(json) ? { output: toJson(result.finalOutput) } : null,
  }
}

/** A state as it is stored, of an agent and of those that it runs as tools. */
function storable(state: Json): { [key: string]: Json } {
  const { lastProcessedResponse, ...json } = state as { [key: string]: Json } & Stored
  const isHeld = json.currentStep?.type === 'next_step_interruption'
  const inner = Object.entries(json.pendingAgentToolRuns ?? {})
  return {
    ...json,
    // It is made anew in each process, and may hold what must not be stored.
    context: { ...json.context, context: {} },
    pendingAgentToolRuns: Object.fromEntries(inner.map(([key, text]) => [key, JSON.stringify(storable(parse(text)))])),
    // Only held calls need it. After a handoff it names the handoffs of the agent before, and could not be read again.
    ...(isHeld && lastProcessedResponse !== undefined ? { lastProcessedResponse } : {}),
  }
}

/** Agents inside tools spend too, though only the agent that called them hears what they say. */
function replyOf(responses: ModelResponse[], spent: Usage): Turn['reply'] {
  if (responses.length === 0 && spent.requests === 0) return null
  const { inputTokens, outputTokens } = spent
  const text = responses.flatMap(({ output }) => output.map(textOf)).join('')
  return { text, usage: inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : null }
}

function textOf(item: ModelResponse['output'][number]): string {
  if (item.type !== 'message' || typeof item.content === 'string') return ''
  return item.content.map((part) => (part.type === 'output_text' ? part.text : '')).join('')
}

function toHeldCall(item: RunToolApprovalItem): HeldCall {
  const { rawItem, arguments: text } = item
  const input = text === undefined ? toJson(rawItem) : parse(text)
  return { callId: callIdOf(item), tool: item.name ?? rawItem.type, input, question: isQuestion(item) }
}

function callIdOf({ rawItem }: RunToolApprovalItem): string {
  return 'callId' in rawItem ? rawItem.callId : (rawItem.id ?? '')
}

/** A model may write arguments that are no JSON; a person is shown them as they are. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json
}
