/**
 * A tool that asks while it works. The work is abandoned at the question and runs again from the top when it is
 * answered, perhaps days later in another process: `ctx.once` keeps what must not happen twice.
 */
import { agent, createEngine, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

let reservations = 0

const book = tool({
  name: 'book',
  description: 'Books a table.',
  input: { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] },
  replays: true,
  async execute(_input, ctx) {
    const table = await ctx.once('reserve', () => {
      reservations += 1
      return { table: 7 }
    })
    const where = await ctx.ask({ key: 'where', question: 'Inside or outside?', choices: ['Inside', 'Outside'] })
    return where.status === 'answered' ? `Table ${table.table}, ${String(where.data)}.` : 'Not booked.'
  },
})

const model = scriptedModel([{ calls: [{ tool: 'book', input: { guests: 2 } }] }, { text: 'Booked.' }])
const engine = createEngine({ agents: [agent('host', { model, tools: [book] })], store: sqlite('querent.db') })
await engine.start()
const ann = engine.as({ id: 'ann' }).agent('host')
const { run } = await ann.start('A table for two.')
console.log((await ann.atRest(run)).asks[0]?.step)
await ann.approve({ run, step: 'tool 1.1', data: 'Outside' })
console.log((await ann.atRest(run)).text, `reserved ${reservations} time`)
await engine.close()
