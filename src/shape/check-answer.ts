import { type Clock, nextTurn, systemClock } from '../core/ambient.ts'
import type { Issue } from '../core/error.ts'
import type { Json, JsonSchema } from '../core/json.ts'
import { checkSize } from './check-size.ts'
import { type CheckThread, createCheckThread, notChecked } from './check-thread.ts'
import { costOf, maxCostInPlace } from './cost.ts'
import { loadPatternCompiler, type PatternCompiler } from './pattern.ts'
import { loadValidator, type Validator } from './validator.ts'

/** How long a check may take before it is given up, in milliseconds. */
export const checkDeadlineMs = 2000

/** How an answer is checked. */
export interface CheckOptions {
  /** Default: the system's. */
  clock?: Clock
  /** Milliseconds. Default `checkDeadlineMs`. */
  deadlineMs?: number
  /** Default: one for the whole process, started when it is first needed. */
  thread?: CheckThread
}

/**
 * Checks an answer (or any other JSON value) against a JSON Schema, size limits first. Never holds up the process and
 * always ends: what an estimate shows to be small is checked in place, the rest in a worker thread that is ended at
 * the deadline. It never throws; a check that could not be made is an issue.
 * @returns nothing where it fits, else the first 20 places where it does not, each with a JSON Pointer.
 */
export async function checkAnswer(schema: JsonSchema, data: Json, options: CheckOptions = {}): Promise<Issue[]> {
  const tooLarge = checkSize(data)
  if (tooLarge.length > 0) return tooLarge
  const { validate, compilePattern } = await parts()
  try {
    const cost = costOf(schema, data, compilePattern)
    // What was done until now took about as long as what follows.
    if (cost > largeCost) await nextTurn()
    if (cost <= maxCostInPlace) return validate(schema, data)
  } catch {
    return [notChecked]
  }
  processThread ??= createCheckThread()
  const { clock = systemClock, deadlineMs = checkDeadlineMs, thread = processThread } = options
  return thread.check({ schema, data }, { clock, deadlineMs })
}

/** From there on the estimate itself is felt by who waits for the process. */
const largeCost = 10_000

let processThread: CheckThread | undefined
let loading: Promise<{ validate: Validator; compilePattern: PatternCompiler }> | undefined

function parts() {
  loading ??= Promise.all([loadValidator(), loadPatternCompiler()]).then(([validate, compilePattern]) => ({
    validate,
    compilePattern,
  }))
  return loading
}
