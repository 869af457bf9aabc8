import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

const apiKey = 'none'

/** The providers by name, each at the base URL of a server of `servers/`. Another process makes the same ones. */
export const languageModelAt = {
  chat: (baseURL: string, id = 'gpt-5.6') => createOpenAI({ baseURL, apiKey }).chat(id),
  compatible: (baseURL: string, id = 'some-model') => createOpenAICompatible({ name: 'local', baseURL })(id),
  responses: (baseURL: string, id = 'gpt-5.6') => createOpenAI({ baseURL, apiKey })(id),
  anthropic: (baseURL: string, id = 'claude-sonnet-4-5') => createAnthropic({ baseURL, apiKey })(id),
}

export type ProviderName = keyof typeof languageModelAt
