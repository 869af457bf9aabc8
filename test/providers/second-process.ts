import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ModelMessage } from 'querent/model'
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk.ts'

/** The providers by name, each at the base URL of a server of `servers/`. Another process makes the same ones. */
export const modelAt = {
  chat: (baseURL: string) => aiSdkModel(createOpenAI({ baseURL, apiKey: 'none' }).chat('gpt-5.6')),
  compatible: (baseURL: string) => aiSdkModel(createOpenAICompatible({ name: 'local', baseURL })('some-model')),
  responses: (baseURL: string) => aiSdkModel(createOpenAI({ baseURL, apiKey: 'none' })('gpt-5.6')),
  anthropic: (baseURL: string) => aiSdkModel(createAnthropic({ baseURL, apiKey: 'none' })('claude-sonnet-4-5')),
}

// Run as a program: makes one step with the messages that a first process left, each as its stored text.
if (process.argv[1] === import.meta.filename) {
  const [, , name, url, tools, ...log] = process.argv
  const messages = log.map((text) => JSON.parse(text) as ModelMessage)
  const step = modelAt[name as keyof typeof modelAt](url as string).step({
    messages,
    tools: JSON.parse(tools as string),
    instructions: 'Be brief.',
    settings: {},
    signal: new AbortController().signal,
  })
  for await (const part of step) if (part.type === 'reply') process.stdout.write(part.text)
}
