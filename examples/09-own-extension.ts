/**
 * An extension of one's own: a kind of ask that does not come with the package. This one lets a person rate a draft;
 * it sees the same public seam as the built-in question does.
 */
import { agent, createEngine } from 'querent'
import { type Extension, endResult, failure, isObject, park, resultOf } from 'querent/extension'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

const rating: Extension = {
  name: 'rating',
  reserves: ['rate'],
  tools: (agent) => [
    {
      name: 'rate',
      description: 'Lets the person rate a draft from 1 to 5.',
      inputSchema: { type: 'object', properties: { draft: { type: 'string' } }, required: ['draft'] },
      // It only asks: nothing but a person's answer is its result.
      asks: true,
      retrySafe: true,
      replays: false,
      execute(input) {
        const draft = isObject(input) ? input.draft : undefined
        if (typeof draft !== 'string' || draft.trim() === '') return failure('"draft" is empty; send the text to rate.')
        return park({
          kind: 'rating',
          tool: 'rate',
          input: { draft },
          answerSchema: { type: 'integer', minimum: 1, maximum: 5 },
          rule: { onExpire: agent.onExpire, guarded: false },
        })
      },
    },
  ],
  kinds: [
    {
      kind: 'rating',
      describe: ({ input }) => (isObject(input) ? String(input.draft) : ''),
      resolve: (ask, texts) =>
        ask.end.outcome === 'approved'
          ? resultOf(`${JSON.stringify(ask.end.data)} of 5`)
          : endResult(ask, texts, { defaultAnswer: true }),
    },
  ],
}

const model = scriptedModel([{ calls: [{ tool: 'rate', input: { draft: 'Dear all, …' } }] }, { text: 'Thank you.' }])
const writer = agent('writer', { model, extensions: [rating] })
const engine = createEngine({ agents: [writer], store: sqlite('querent.db') })
await engine.start()
const ann = engine.as({ id: 'ann' }).agent('writer')
const { run } = await ann.start('Write to all.')
const [ask] = (await ann.atRest(run)).asks
console.log(ask?.kind, ask?.step)
if (ask) await ann.approve(ask, { data: 4 })
console.log((await ann.atRest(run)).text)
await engine.close()
