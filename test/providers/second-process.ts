import type { ModelMessage } from 'querent/model'
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk.ts'
import { languageModelAt, type ProviderName } from './language-models.ts'

/** A provider's model at the base URL of a server, as ours. */
export function modelAt(name: ProviderName, baseURL: string) {
  return aiSdkModel(languageModelAt[name](baseURL))
}

// Run as a program: makes one step with the messages that a first process left, each as its stored text.
if (process.argv[1] === import.meta.filename) {
  const [, , name, url, tools, ...log] = process.argv
  const messages = log.map((text) => JSON.parse(text) as ModelMessage)
  const step = modelAt(name as ProviderName, url as string).step({
    messages,
    tools: JSON.parse(tools as string),
    instructions: 'Be brief.',
    settings: {},
    signal: new AbortController().signal,
  })
  for await (const part of step) if (part.type === 'reply') process.stdout.write(part.text)
}
