import { join } from 'node:path'
import type { Json } from 'querent'
import { Lines } from '../crash/lines.ts'

/** A tool did something in the world. */
export interface Effect {
  /** Our id of the call, unique over all runs. `name`, since a call may do several things. */
  call: string
  name: string
  mayRepeat: boolean
}

/** What a model was sent: instructions, tools and messages, as one text. `job`: which run it was for. */
export interface Prompt {
  agent: string
  job: string
  request: string
}

/** What one who answers was told of an answer: it counts, or why it does not. */
export interface Told {
  ask: string
  answerId: string
  outcome: 'approved' | 'refused'
  data?: Json
  /** It was sent again, since nobody knew whether it had arrived. */
  again: boolean
  code?: string
}

/** What a worker noticed itself: a claim it had lost, or a line of its log. */
export interface Notice {
  worker: string
  what: string
}

/** What is left beside the database, written so that it outlives SIGKILL. */
export interface Traces {
  effects: Lines<Effect>
  prompts: Lines<Prompt>
  told: Lines<Told>
  notices: Lines<Notice>
}

export function tracesIn(folder: string): Traces {
  return {
    effects: new Lines(join(folder, 'effects')),
    prompts: new Lines(join(folder, 'prompts')),
    told: new Lines(join(folder, 'told')),
    notices: new Lines(join(folder, 'notices')),
  }
}
