import { type Engine, type EngineOptions, engineWith } from './engine/engine.ts'
import { approval } from './extensions/approval/approval.ts'
import { question } from './extensions/question/question.ts'
import { aiSdk } from './models/ai-sdk/ai-sdk.ts'

export { type DelegateOptions, delegate } from './extensions/delegate/delegate.ts'

/** What comes with the package. The one place that names extensions and model adapters: to take one out, take out its lines. */
const builtin = {
  extensions: [question, approval],
  models: [aiSdk],
}

/**
 * Makes an engine: the agents of this process, on a store.
 * @throws QuerentError T1001 to T1009 where a definition is wrong, T1003 for an option.
 */
export function createEngine(options: EngineOptions): Engine {
  return engineWith(builtin, options)
}
