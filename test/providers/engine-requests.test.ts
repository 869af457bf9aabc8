import type { UserInput } from 'querent'
import { describe, expect, test, vi } from 'vitest'
import { dialects } from './dialects.ts'
import { expectGrown } from './exchange.ts'
import type { ProviderName } from './language-models.ts'
import { serve } from './served-agent.ts'

const question = { id: 'call_a', name: 'question', arguments: '{"question":"Which size?"}' }
const png = 'iVBORw0KGgo='
const pdf = 'JVBERi0xLjQ='
const files: UserInput = [
  { type: 'text', text: 'What is this?' },
  { type: 'image', image: png, mediaType: 'image/png' },
  { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'a.pdf' },
]

// Models that reason take no temperature.
const plainModel: Record<ProviderName, string> = {
  chat: 'gpt-4.1',
  compatible: 'some-model',
  responses: 'gpt-4.1',
  anthropic: 'claude-sonnet-4-5',
}

describe.each(dialects)('$name', (dialect) => {
  test('files through start and say stand in the prompt as they came, over a park', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const script = [{ calls: [question] }, { text: 'A shirt.' }, { text: 'Another.' }]
    const { ann, server, startToRest } = await serve(dialect, script, { questions: true })
    const { run, messages, title } = await startToRest(files)
    expect(messages[0]).toMatchObject({ role: 'user', text: 'What is this?\n[image]\n[a.pdf]' })
    expect(title).toBe('What is this? [image] [a.pdf]')
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.atRest(run)
    await ann.say({ run, text: [{ type: 'image', image: 'R0lGODlh', mediaType: 'image/gif' }] })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', text: 'Another.' })
    const bodies = server.requests.map((request) => request.body)
    expect(bodies).toHaveLength(3)
    for (const each of [png, pdf]) for (const body of bodies) expect(body.split(each)).toHaveLength(2)
    expect(bodies[2]).toContain('R0lGODlh')
    expectGrown(bodies[0], bodies[1], dialect.list)
    expectGrown(bodies[1], bodies[2], dialect.list)
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  test('settings are on the wire; output tokens are capped by what the run has left', async () => {
    const { ann, sent, startToRest } = await serve(dialect, [{ calls: [question] }, { text: 'M.' }], {
      modelId: plainModel[dialect.name],
      questions: true,
      settings: { temperature: 0.5, maxOutputTokens: 95 },
      limits: { perRun: { tokensOut: 100 } },
    })
    const { run } = await startToRest()
    expect(sent(0)).toMatchObject({ temperature: 0.5, maxTokens: 95 })
    await ann.approve({ run, step: 'question 1.1', data: 'M' })
    await ann.atRest(run)
    // The first reply took 7.
    expect(sent(1)).toMatchObject({ temperature: 0.5, maxTokens: 93 })
  })

  test('options of the provider are on the wire', async () => {
    const given = {
      chat: [{ openai: { serviceTier: 'flex', user: 'ann' } }, { user: 'ann' }],
      compatible: [{ local: { user: 'ann', some_option: 1 } }, { user: 'ann', some_option: 1 }],
      responses: [{ openai: { user: 'ann', store: true } }, { user: 'ann', store: true }],
      anthropic: [{ anthropic: { metadata: { userId: 'ann' } } }, { metadata: { user_id: 'ann' } }],
    } as const
    const [providerOptions, onWire] = given[dialect.name]
    const { server, startToRest } = await serve(dialect, [{ text: 'M.' }], { settings: { providerOptions } })
    expect(await startToRest()).toMatchObject({ status: 'done' })
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject(onWire)
  })
})

test('OpenAI Responses take no cap below 16: a run with less left is not refused for it', async () => {
  const responses = dialects.find(({ name }) => name === 'responses')
  if (!responses) throw new Error('no such dialect')
  const limits = { perRun: { tokensOut: 10 } }
  const { sent, startToRest } = await serve(responses, [{ text: 'M.' }], { limits })
  expect(await startToRest()).toMatchObject({ status: 'done' })
  expect(sent(0).maxTokens).toBe(16)
})
