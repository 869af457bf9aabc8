import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentOptions, agent, createEngine, defaultTexts, type Helper, type Json, tool } from 'querent'
import { sqlite } from 'querent/sqlite'
import { type ScriptedCall, type ScriptedModel, scriptedModel, wellFormed } from 'querent/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ask } from './ask.ts'

/** Opens engines on one database, each with the same agent anew, as processes would. */
function world(turns: Parameters<typeof scriptedModel>[0], options: AgentOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ask-'))
  const closes: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closes) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  return async (): Promise<{ model: ScriptedModel; ann: Helper; close: () => Promise<void> }> => {
    const model = scriptedModel(turns)
    const asker = agent('asker', { extensions: [ask()], ...options, model })
    const engine = createEngine({ agents: [asker], store: sqlite(join(folder, 'querent.db')) })
    await engine.start()
    closes.push(() => engine.close())
    return { model, ann: engine.as({ id: 'ann' }).agent('asker'), close: () => engine.close() }
  }
}

const sizes: Json = [{ label: 'S' }, { label: 'M', description: 'medium' }]

function lastMessages(model: ScriptedModel): Json[] {
  const messages = model.prompts.at(-1)?.messages ?? []
  expect(wellFormed(messages)).toEqual([])
  return messages as unknown as Json[]
}

describe('a run that asks', () => {
  test('parks at step question N.M, is answered in another process and goes on', async () => {
    const open = world([
      { calls: [{ tool: 'ask', input: { question: ' Size? ', options: sizes } }] },
      { text: 'Done.' },
    ])
    const first = await open()
    const { run } = await first.ann.start('A T-shirt')
    const { asks } = await first.ann.atRest(run)
    expect(asks).toMatchObject([
      {
        kind: 'question',
        tool: 'ask',
        step: 'question 1.1',
        input: { question: 'Size?', options: sizes },
        options: sizes,
      },
    ])
    await first.close()

    const second = await open()
    await expect(second.ann.approve({ run, step: 'question 1.1', data: 'XL' })).rejects.toMatchObject({ code: 'T0002' })
    await second.ann.approve({ run, step: 'question 1.1', data: 'M' })
    expect(await second.ann.atRest(run)).toMatchObject({ status: 'done', text: 'Done.' })
    expect(lastMessages(second.model).at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolName: 'ask', output: { type: 'text', value: 'M' } }],
    })
  })

  test('answers that come as a message, in call order, whichever is given first', async () => {
    const calls: ScriptedCall[] = [
      { tool: 'ask', input: { question: 'Size?', options: sizes, multi: true } },
      { tool: 'ask', input: { question: 'Why?' } },
    ]
    const { ann, model } = await world([{ calls }, { text: 'Done.' }], { extensions: [ask({ deliver: 'message' })] })()
    const { run } = await ann.start('T-shirts')
    await ann.atRest(run)
    await ann.refuse({ run, step: 'question 1.2' })
    await ann.approve({ run, step: 'question 1.1', data: ['M', 'S'] })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
    const [results, answers] = lastMessages(model).slice(-2)
    const waiting = { output: { type: 'text', value: defaultTexts.waiting } }
    expect(results).toMatchObject({ role: 'tool', content: [waiting, waiting] })
    expect(answers).toEqual({ role: 'user', content: 'Size?\n["M","S"]\n\nWhy?\nThe person refused this.' })
  })

  test('what nobody could answer is told to the model, and asked of nobody', async () => {
    const input: Json = { question: 'Where?', options: [{ label: 'Staging' }, { label: 'staging ' }] }
    const open = world([{ calls: [{ tool: 'ask', input }] }, { text: 'Done.' }])
    const { ann, model } = await open()
    const { run } = await ann.start('Deploy')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', asks: [] })
    expect(JSON.stringify(lastMessages(model).at(-1))).toMatch(/Nobody was asked: .*look the same to a person/)
  })

  test('an out guard sees the options too', async () => {
    const seen: string[] = []
    const guard = (text: string) => {
      seen.push(text)
      return text.includes('medium') ? { refuse: 'no' } : (true as const)
    }
    const open = world(
      [{ calls: [{ tool: 'ask', input: { question: 'Size?', options: sizes } }] }, { text: 'Done.' }],
      {
        guards: { out: [guard] },
      },
    )
    const { ann } = await open()
    const { run } = await ann.start('A T-shirt')
    expect(await ann.atRest(run)).toMatchObject({ status: 'done', asks: [] })
    expect(seen).toContain('Size?\nS\nM\nmedium')
  })

  test('a call of the same turn that acts is held back', async () => {
    let ran = 0
    const act = tool({ name: 'act', description: 'Acts.', input: { type: 'object' }, execute: () => ++ran })
    const calls: ScriptedCall[] = [
      { tool: 'act', input: {} },
      { tool: 'ask', input: { question: 'May I?', options: [] } },
    ]
    const open = world([{ calls }, { text: 'Done.' }], { tools: [act] })
    const { ann } = await open()
    const { run } = await ann.start('Go')
    await ann.atRest(run)
    await ann.refuse({ run, step: 'question 1.2', reason: 'not now' })
    expect(await ann.atRest(run)).toMatchObject({ status: 'done' })
    expect(ran).toBe(0)
  })
})

test('no tool may be named as it is, in the list or the record form, where it is installed', async () => {
  const named = tool({ name: 'ask', description: 'Mine.', input: { type: 'object' }, execute: () => 1 })
  const record = { ask: { description: 'Mine.', inputSchema: { type: 'object' }, execute: () => 1 } }
  for (const tools of [[named], record]) {
    await expect(world([], { tools })()).rejects.toMatchObject({ code: 'T1009' })
    await expect(world([{ text: 'Hi.' }], { tools, extensions: [] })()).resolves.toBeDefined()
  }
})
