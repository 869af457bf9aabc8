import type { Attributes } from '@opentelemetry/api'
import { QuerentError } from '../core/error.ts'
import type { ModelSettings } from '../core/model.ts'
import type { ModelFacts, SegmentFacts, SettleFacts, ToolFacts } from '../core/telemetry.ts'

/*
 * Names follow the semantic conventions for generative AI where they have one (status: development), and begin with
 * `querent.` where not. Texts, inputs, answers and persons are no attributes: docs/telemetry.md promises so.
 */

/** What every span of a run's work says: which run, and the one that people know it by. */
function runAttributes({ run, root, agent }: SegmentFacts): Attributes {
  return { 'gen_ai.agent.name': agent, 'gen_ai.conversation.id': root, 'querent.run.id': run }
}

export function segmentAttributes(facts: SegmentFacts): Attributes {
  return { 'gen_ai.operation.name': 'invoke_agent', ...runAttributes(facts), 'querent.run.trigger': facts.trigger }
}

export function modelAttributes(segment: SegmentFacts, { step, model, settings }: ModelFacts): Attributes {
  return { ...callAttributes(model), ...settingAttributes(settings), ...runAttributes(segment), 'querent.step': step }
}

/** What the metrics of model calls are kept apart by, as well. */
export function callAttributes(model: string): Attributes {
  const [provider, ...rest] = model.split('/')
  const operation = { 'gen_ai.operation.name': 'chat' }
  if (provider === undefined || rest.length === 0) return { ...operation, 'gen_ai.request.model': model }
  return { ...operation, 'gen_ai.provider.name': providerOf(provider), 'gen_ai.request.model': rest.join('/') }
}

/** Beginnings of the AI SDK's names of providers, and what the conventions call them. The others are called the same. */
const providers = [
  ['google.vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
] as const

function providerOf(name: string): string {
  const known = providers.find(([begin]) => name.startsWith(begin))
  return known ? known[1] : (name.split('.')[0] as string)
}

function settingAttributes(settings: ModelSettings): Attributes {
  return {
    'gen_ai.request.max_tokens': settings.maxOutputTokens,
    'gen_ai.request.temperature': settings.temperature,
    'gen_ai.request.top_p': settings.topP,
    'gen_ai.request.top_k': settings.topK,
    'gen_ai.request.frequency_penalty': settings.frequencyPenalty,
    'gen_ai.request.presence_penalty': settings.presencePenalty,
    'gen_ai.request.seed': settings.seed,
  }
}

export function toolAttributes(segment: SegmentFacts, { step, id, effect, tool }: ToolFacts): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': id === '' ? undefined : id,
    ...runAttributes(segment),
    'querent.step': step,
    'querent.effect': effect,
  }
}

export function settleAttributes({ run, agent, kind, outcome }: SettleFacts): Attributes {
  return {
    'gen_ai.agent.name': agent,
    'gen_ai.conversation.id': run,
    'querent.ask.kind': kind,
    'querent.ask.outcome': outcome,
  }
}

/** A class of errors: a code of ours, or the name of what was thrown. Messages may quote what people wrote. */
export function errorTypeOf(error: unknown): string {
  if (error instanceof QuerentError) return error.code
  if (!(error instanceof Error)) return '_OTHER'
  return error.cause instanceof Error ? error.cause.name : error.name
}
