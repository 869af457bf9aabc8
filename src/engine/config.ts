import type { AgentRecord } from '../core/agent.ts'
import type { Store } from '../store/store.ts'

/** What the command line works with: `export default defineConfig({ … })` in `querent.config.ts`. */
export interface QuerentConfig {
  agents: readonly AgentRecord[]
  store: Store
}

/** Gives the config back, typed. */
export function defineConfig(config: QuerentConfig): QuerentConfig {
  return config
}
