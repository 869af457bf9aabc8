import type { ModelMessage } from 'querent/model'
import { wellFormed } from 'querent/testing'
import { describe, expect, it } from 'vitest'

const user: ModelMessage = { role: 'user', content: 'Hello' }

function calls(...ids: string[]): ModelMessage {
  return {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
  }
}

function results(...ids: string[]): ModelMessage {
  const output = { type: 'text', value: 'seen' }
  return {
    role: 'tool',
    content: ids.map((toolCallId) => ({ type: 'tool-result', toolCallId, toolName: 'look', output })),
  }
}

describe('wellFormed', () => {
  it('finds nothing in prompts that providers take', () => {
    expect(wellFormed([])).toEqual([])
    expect(wellFormed([user, { role: 'assistant', content: 'Hi' }, user])).toEqual([])
    expect(wellFormed([user, calls('a', 'b'), results('a', 'b'), user, calls('c'), results('c')])).toEqual([])
  })

  it('leaves out what a provider ran itself', () => {
    const ran = { type: 'tool-call', toolCallId: 's', toolName: 'search', input: {}, providerExecuted: true }
    const found = { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'json', value: [] } }
    expect(wellFormed([user, { role: 'assistant', content: [ran, found] }, user])).toEqual([])
  })

  it.each([
    ['a call without a result', [user, calls('a'), user], 'call "a" has 0 results'],
    ['a call at the end', [user, calls('a')], 'the prompt ends with it'],
    ['a result given twice', [user, calls('a'), results('a', 'a')], 'call "a" has 2 results'],
    ['a result without a call', [user, calls('a'), results('a', 'b')], 'result "b" has no call'],
    ['a result that comes late', [user, calls('a'), user, results('a')], 'result "a" has no call'],
    ['a second result message', [user, calls('a', 'b'), results('a'), results('b')], 'call "b" has 0 results'],
    ['an id used before', [user, calls('a'), results('a'), calls('a'), results('a')], 'the id "a" was used before'],
    ['an empty id', [user, calls(''), results('')], 'a call has an empty id'],
  ] satisfies [string, ModelMessage[], string][])('finds %s', (_, messages, fault) => {
    expect(wellFormed(messages).join('\n')).toContain(fault)
  })
})
