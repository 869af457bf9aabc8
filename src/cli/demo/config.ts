import { defineConfig, type QuerentConfig } from '../../engine/config.ts'
import { sqlite } from '../../sqlite.ts'
import { asker } from './asker.ts'
import { realModel } from './real-model.ts'

/** The config file of the demo, for the folder in which its processes run. */
export const configFile = `import { ${demoConfig.name} } from '${import.meta.url}'
export default await ${demoConfig.name}(process.env)
`

/** What that file gives: the asker, with the model that the environment asks for, on a database beside the file. */
export async function demoConfig(env: Record<string, string | undefined>): Promise<QuerentConfig> {
  return defineConfig({ agents: [asker(await realModel(env))], store: sqlite('querent.db') })
}
