import { expect, test } from 'vitest'
import { QuerentError } from '../core/error.ts'
import { ModelError } from '../core/model.ts'
import { callAttributes, errorTypeOf, modelAttributes, toolAttributes } from './attributes.ts'

const segment = { run: 'run_2', root: 'run_1', agent: 'asker', trigger: 'delegate' } as const

test.each([
  ['openai.responses/gpt-5.6', 'openai', 'gpt-5.6'],
  ['anthropic.messages/claude', 'anthropic', 'claude'],
  ['google.generative-ai/gemini', 'gcp.gemini', 'gemini'],
  ['google.vertex.chat/gemini', 'gcp.vertex_ai', 'gemini'],
  ['amazon-bedrock/anthropic.claude', 'aws.bedrock', 'anthropic.claude'],
  ['azure.responses/mine', 'azure.ai.openai', 'mine'],
  ['gateway/openai/gpt-5.6', 'gateway', 'openai/gpt-5.6'],
  ['scripted', undefined, 'scripted'],
])('%s is a model of %s', (id, provider, model) => {
  const { 'gen_ai.provider.name': named, 'gen_ai.request.model': asked } = callAttributes(id)
  expect([named, asked]).toEqual([provider, model])
})

test('settings are told where they are numbers; what may hold texts is not', () => {
  const settings = {
    maxOutputTokens: 100,
    temperature: 0,
    stopSequences: ['Ann'],
    headers: { authorization: 'secret' },
  }
  const attributes = modelAttributes(segment, { step: 'model 1', model: 'openai/gpt', settings })
  expect(attributes).toMatchObject({ 'gen_ai.request.max_tokens': 100, 'gen_ai.request.temperature': 0 })
  expect(JSON.stringify(attributes)).not.toMatch(/Ann|secret/)
})

test('a call without an id of its provider has none', () => {
  const facts = { step: 'tool 1.1', effect: 'run_2.1.1.1', tool: 'charge' }
  expect(toolAttributes(segment, { ...facts, id: '' })['gen_ai.tool.call.id']).toBeUndefined()
  expect(toolAttributes(segment, { ...facts, id: 'call_1' })['gen_ai.tool.call.id']).toBe('call_1')
})

test('an error is told by its class alone', () => {
  const cause = Object.assign(new Error('said by Ann'), { name: 'AI_APICallError' })
  expect(errorTypeOf(new QuerentError('T0002', 'said by Ann'))).toBe('T0002')
  expect(errorTypeOf(new ModelError('said by Ann', { retryable: false, cause }))).toBe('AI_APICallError')
  expect(errorTypeOf(new TypeError('said by Ann'))).toBe('TypeError')
  expect(errorTypeOf('said by Ann')).toBe('_OTHER')
})
