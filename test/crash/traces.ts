import { join } from 'node:path'
import type { AskAt, Json } from 'querent'
import type { FaultPoint } from 'querent/testing'
import { Lines } from './lines.ts'

/** When the clocks of first processes begin to stand still. */
export const startMs = Date.UTC(2026, 0, 1)

/** An answer (none for an approval), or a refusal. */
export type Reply = { data?: Json } | { reason: string }

/** What the person did, as they know it: they began something, and were told that it is done. */
export type Act =
  | { act: 'answers'; id: string; at: AskAt; reply: Reply }
  | { act: 'answered'; id: string; ask: string; duplicate: boolean }
  | { act: 'answered badly'; data: Json; code: string }
  | { act: 'repeated'; id: string; duplicate: boolean }
  | { act: 'contradicted'; id: string; code: string }
  | { act: 'said'; text: string }
  | { act: 'stopped' }

/** A tool did something in the world. */
export interface Effect {
  /** Which call of which agent: see `callOf`. `name`, since a call may do several things. */
  call: string
  name: string
  tool: string
  mayRepeat: boolean
}

/** What a model was sent: instructions, tools and messages, as one text. */
export interface Prompt {
  agent: string
  request: string
}

/** A call of an agent without the id of its run, which is another one each time. */
export function callOf(agent: string, effect: string): string {
  return `${agent} ${effect.slice(effect.indexOf('.') + 1)}`
}

/** What a life leaves behind beside the database: it outlives SIGKILL, and a second life goes on with it. */
export interface Traces {
  database: string
  effects: Lines<Effect>
  acts: Lines<Act>
  prompts: Lines<Prompt>
  points: Lines<TracedPoint>
}

/** A point that a process came to. `idle`: after a call that found nothing to claim or to expire, and changed nothing. */
export type TracedPoint = Pick<FaultPoint, 'transition' | 'when'> & { idle?: boolean }

export function tracesIn(folder: string): Traces {
  return {
    database: join(folder, 'querent.db'),
    effects: new Lines(join(folder, 'effects')),
    acts: new Lines(join(folder, 'acts')),
    prompts: new Lines(join(folder, 'prompts')),
    points: new Lines(join(folder, 'points')),
  }
}
