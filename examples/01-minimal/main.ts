/** The same agent from code: start, wait, answer. In a server these three happen in three requests, or three processes. */
import { createEngine } from 'querent'
import config from './querent.config.ts'

const engine = createEngine(config)
await engine.start()

const asker = engine.as({ id: 'ann' }).agent('asker')
const { run } = await asker.start('I need a T-shirt')
const parked = await asker.atRest(run)
console.log(parked.status, parked.asks[0]?.step, parked.asks[0]?.options)

await asker.approve({ run, step: 'question 1.1', data: 'M' })
const done = await asker.atRest(run)
console.log(done.status, done.text)

await engine.close()
