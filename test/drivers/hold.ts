import { createEngine, type QuerentConfig } from 'querent'

// Run as a program: works on the only run of an example, starts one where there is none, says what it came to, and
// stays until it is killed.
const [, , example, agent] = process.argv as [string, string, string, string]
const { default: config } = (await import(example)) as { default: QuerentConfig }
const engine = createEngine(config)
await engine.start()
const ann = engine.as({ id: 'ann' }).agent(agent)
const run = (await ann.working())[0]?.run ?? (await ann.start('go')).run
process.stdout.write(`${JSON.stringify(await ann.atRest(run))}\n`)
process.stdin.resume()
