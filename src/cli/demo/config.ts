import { defineConfig } from '../../engine/config.ts'
import { sqlite } from '../../sqlite.ts'
import { asker } from './asker.ts'
import { realModel } from './real-model.ts'

/** The config of the demo, in whose folder its processes run. */
export default defineConfig({
  agents: [asker(await realModel(process.env))],
  store: sqlite('querent.db'),
})
