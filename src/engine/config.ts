import type { EngineOptions } from './engine.ts'

/** What the command line works with: `export default defineConfig({ … })` in `querent.config.ts`. */
export type QuerentConfig = EngineOptions

/** Gives the config back, typed. `createEngine` takes it as it is. */
export function defineConfig(config: QuerentConfig): QuerentConfig {
  return config
}
