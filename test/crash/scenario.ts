import type { AgentOptions, AgentRecord, RunStatus } from 'querent'
import type { TransitionName, TurnSource } from 'querent/testing'
import type { Person } from './person.ts'

/** Records that a tool did something, beside what is recorded of every call. Gives the name back. */
export type Touch = (effect: string, name: string) => string

/** A run from its start to its end, to be killed on the way. */
export interface Scenario {
  name: string
  turns: TurnSource[]
  /** The agent's options. `helper` is there where the scenario has one. */
  options(touch: Touch, helper?: AgentRecord): Omit<AgentOptions, 'model'>
  /** An agent to which tasks are delegated. */
  helper?: Pick<Scenario, 'turns' | 'options'>
  /**
   * What the person does, from the first word to the end of the run. Each new process begins it from the top, so every
   * act must be harmless where it was done before.
   */
  act(person: Person): Promise<void>
  /** What a run that nobody kills comes to, and transitions that it must come through on the way. */
  ends: { status: RunStatus; text: string }
  comesThrough: TransitionName[]
  /** How long nothing runs after a process died. Default: a second, so that no lease has ended. */
  awayMs?: number
}
