import type { LanguageModel, ModelMessage as SdkMessage, ToolSet } from 'ai'
import { type Model, type ModelMessage, type ModelRequest, type ModelSettings, QuerentError } from 'querent/model'
import { toModelError } from './model-error.ts'
import { toReply } from './reply.ts'
import { type ResponseFormat, responseFormatOf } from './response-format.ts'

type Sdk = typeof import('ai')
type Options = ModelSettings['providerOptions']

/**
 * Makes a model of Querent from any language model of the AI SDK 7: a provider's (`openai('gpt-5')`), or the id of one
 * behind the AI Gateway (`'openai/gpt-5'`).
 *
 * One `step` is one request: no retries and no tool runs inside the SDK, both are the engine's. The messages of the
 * reply are kept whole (reasoning, signatures, provider metadata); the SDK sends them back as they came.
 *
 * - A refusal arrives as text, with the finish `'content-filter'`; a filter that stopped the model leaves the text so
 *   far, perhaps none. `'length'` leaves the text so far too: neither is an error.
 * - A stream that breaks, or ends without saying why, is a `ModelError` that may be retried: half a reply is none.
 * - OpenAI Responses are asked not to store (`store: false`), or a parked run would depend on how long the provider
 *   keeps what it stored. `settings.providerOptions.openai.store` says otherwise.
 * - An `output` schema is sent as the response format. OpenAI is asked to hold the model to it strictly where it would not
 *   refuse that; `settings.providerOptions.openai.strictJsonSchema` says otherwise.
 * - A file given as a URL is fetched by the provider where it can; for one that cannot (most of OpenAI-compatible ones)
 *   the SDK downloads it, anew at each request, and refuses private addresses. Base64 is sent as it is, always.
 *
 * The package `ai` is loaded at the first step.
 * @throws QuerentError T1006 where it is no language model; T1007, from `step`, where `ai` is not installed.
 */
export function aiSdkModel(languageModel: LanguageModel): Model {
  if (!isLanguageModel(languageModel)) {
    throw new QuerentError(
      'T1006',
      'The model is not one of the AI SDK. Give what a provider package makes, such as openai("gpt-5"), or a gateway id such as "openai/gpt-5".',
    )
  }
  return { id: idOf(languageModel), step: (request) => step(languageModel, request) }
}

/** For the place that maps what an agent has as its model to adapters. */
export const aiSdk = {
  /** Whether a value is a language model of the AI SDK, or a gateway id. */
  matches: isLanguageModel,
  /** As `aiSdkModel`. */
  wrap: (value: unknown): Model => aiSdkModel(value as LanguageModel),
}

async function* step(model: LanguageModel, request: ModelRequest): ReturnType<Model['step']> {
  const sdk = await loadSdk()
  const leave = new AbortController()
  try {
    request.signal.throwIfAborted()
    const signal = AbortSignal.any([request.signal, leave.signal])
    const result = sdk.streamText({ ...callOf(sdk, model, request), abortSignal: signal })
    // Not `for await`: when it is left early it waits for the SDK's stream to be cancelled, which waits for the model.
    const parts = result.stream.getReader()
    for (let part = await parts.read(); !part.done; part = await parts.read()) {
      if (part.value.type === 'text-delta' && part.value.text !== '') yield { type: 'text', text: part.value.text }
      if (part.value.type === 'error') throw part.value.error
    }
    request.signal.throwIfAborted()
    yield toReply(await result.finalStep)
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    throw toModelError(error)
  } finally {
    // The SDK keeps reading for itself. Without this a provider goes on writing, and is paid for it, with nobody there.
    leave.abort()
  }
}

function callOf(sdk: Sdk, model: LanguageModel, request: ModelRequest) {
  const { toolChoice, ...settings } = request.settings
  const format = request.outputSchema === undefined ? undefined : responseFormatOf(request.outputSchema)
  const tools: ToolSet = {}
  for (const tool of request.tools) {
    const schema = tool.inputSchema as Parameters<Sdk['jsonSchema']>[0]
    // Without `execute` the SDK hands the call to us; without `validate` it leaves the check of the input to the engine.
    tools[tool.name] = { description: tool.description, inputSchema: sdk.jsonSchema(schema) }
  }
  return {
    ...settings,
    model,
    instructions: request.instructions || undefined,
    // Our messages are the SDK's dialect, typed only as far as we look into them.
    messages: request.messages.map(withFiles) as SdkMessage[],
    // A provider refuses a choice among no tools.
    ...(request.tools.length === 0 ? {} : { tools, toolChoice }),
    maxOutputTokens: tokensFor(model, settings.maxOutputTokens),
    providerOptions: optionsFor(model, settings.providerOptions, format),
    // `result.output` is never read: it rejects on turns with calls, and the engine checks the text itself.
    ...(format ? { output: outputOf(sdk, model, format) } : {}),
    maxRetries: 0,
    // The default prints every error; ours are thrown.
    onError: () => {},
  }
}

function outputOf(sdk: Sdk, model: LanguageModel, { schema }: ResponseFormat) {
  // Held to JSON of any kind: sent the schema, the SDK would leave it out and warn on the console at each call.
  if (isCompatible(model) && !model.supportsStructuredOutputs) return sdk.Output.json()
  return sdk.Output.object({ schema: sdk.jsonSchema(schema as Parameters<Sdk['jsonSchema']>[0]) })
}

/** The SDK takes `image` parts, but warns on the console that they are now files of the media type `image`. */
function withFiles(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message
  const content = message.content.map((part) => {
    if (part.type !== 'image') return part
    const { image, ...rest } = part
    return { ...rest, type: 'file' as const, data: image, mediaType: part.mediaType ?? 'image' }
  })
  return { ...message, content }
}

/** OpenAI Responses refuse a cap below 16: what little a run has left must not fail it with an error of the request. */
function tokensFor(model: LanguageModel, maxOutputTokens: number | undefined): number | undefined {
  return maxOutputTokens !== undefined && answersAsOpenAiResponses(model)
    ? Math.max(maxOutputTokens, 16)
    : maxOutputTokens
}

/** What we ask of OpenAI where the settings do not say otherwise. Other providers read none of it. */
function optionsFor(model: LanguageModel, options: Options, format: ResponseFormat | undefined): Options {
  const ours: Record<string, boolean> = {}
  if (answersAsOpenAiResponses(model)) ours.store = false
  // Held to such a schema, it refuses the request.
  if (format && !format.strict) ours.strictJsonSchema = false
  if (Object.keys(ours).length === 0) return options
  const name = optionsNameOf(model, options)
  return { ...options, [name]: { ...ours, ...options?.[name] } }
}

function optionsNameOf(model: LanguageModel, options: Options): string {
  if (isCompatible(model)) return 'openaiCompatible'
  // On Azure the provider reads `azure`, and `openai` only where there is no `azure`.
  const azure = typeof model !== 'string' && model.provider.includes('azure') && options?.azure !== undefined
  return azure ? 'azure' : 'openai'
}

/** Whether it is a model of `@ai-sdk/openai-compatible`: those alone say whether they know response formats. */
function isCompatible(model: LanguageModel): model is LanguageModel & { supportsStructuredOutputs: boolean } {
  return typeof model !== 'string' && 'supportsStructuredOutputs' in model
}

function answersAsOpenAiResponses(model: LanguageModel): boolean {
  const gatewayId = typeof model === 'string' ? model : model.provider === 'gateway' ? model.modelId : undefined
  if (gatewayId !== undefined) return /^openai[/:]/.test(gatewayId)
  return typeof model !== 'string' && model.provider.endsWith('.responses')
}

function isLanguageModel(value: unknown): value is LanguageModel {
  if (typeof value === 'string') return value !== ''
  if (typeof value !== 'object' || value === null) return false
  const model = value as Partial<Exclude<LanguageModel, string>>
  return typeof model.doStream === 'function' && typeof model.provider === 'string' && typeof model.modelId === 'string'
}

function idOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('ai')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    if (!missing || !error.message.includes("'ai'")) throw error
    throw new QuerentError('T1007', 'An AI SDK model needs the package "ai". Install it: npm install ai@7', {
      cause: error,
    })
  }
}
