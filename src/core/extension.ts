import type { AgentFacts, RunFacts } from './agent-facts.ts'
import type { OpenedAsk, SettledAsk } from './ask.ts'
import type { Json } from './json.ts'
import type { Texts } from './texts.ts'
import type { Failure, InnerQuestion, Park, ToolDefinition, ToolResult } from './tool.ts'

/** A call whose input was read and checked, before it runs. */
export interface PreparedCall {
  effect: string
  tool: ToolDefinition
  input: Json
}

/** What an extension knows while a call is prepared. */
export interface CallContext {
  agent: AgentFacts
  run: RunFacts
  /** Calls of this tool that the person refused since their last message. */
  refused: { input: Json }[]
  /** What was decided before for this call, if it was. */
  decided?: boolean
}

/**
 * One kind of ask: what becomes of its end. `resolve` is pure: it is a function of the ask and the texts alone, since
 * it may be called again after a crash.
 */
export interface AskKind {
  kind: string
  /** All that the person would read, as plain text. Out guards see this. */
  describe(ask: Pick<OpenedAsk, 'tool' | 'input' | 'options'>): string
  /** What the settled ask becomes: the result of its call, or the call itself is run (with `input` where it was edited). */
  resolve(ask: SettledAsk, texts: Texts): ToolResult | 'run the call'
  /** For `run the call`: what is shown is the call itself. It runs only if it still is exactly what was approved. */
  showsCall?: true
  /** For `run the call`: the input to run with, where the answer changed it. */
  editedInput?(ask: SettledAsk): Json | undefined
}

/**
 * Adds tools, or asks before tools run. Extensions see only this seam, the built-in ones too: a question is one of
 * them, an approval another.
 */
export interface Extension {
  name: string
  /** Names that no tool of an agent may have where this extension is known (T1009). */
  reserves?: string[]
  /** Tools for a run of this agent. None where nobody can answer. Called at every claim; must give the same each time. */
  tools?(agent: AgentFacts, run: RunFacts): ToolDefinition[]
  /** Called once for each call that is about to run. The first extension that does not say `'go'` decides. */
  beforeTool?(call: PreparedCall, context: CallContext): 'go' | Park | Failure | Promise<'go' | Park | Failure>
  /** Makes an ask of what a tool asks with `ctx.ask`. The first extension that can, does. */
  askInTool?(question: InnerQuestion, agent: AgentFacts): Park | Failure | undefined
  kinds?: AskKind[]
}
