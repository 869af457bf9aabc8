import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Access, AgentFacts, CheckedLimits, Guard, Limits, Questions } from './agent-facts.ts'
import type { OnExpire } from './ask.ts'
import { QuerentError } from './error.ts'
import type { Extension } from './extension.ts'
import type { Json } from './json.ts'
import type { ModelSettings } from './model.ts'
import type { Driver } from './session.ts'
import {
  type Approval,
  durationMs,
  type InputSchema,
  inputSchemaOf,
  refuseUnknownOptions,
  type ToolDefinition,
  tool,
} from './tool.ts'

/** A tool of the AI SDK, by its name in a record. Its `needsApproval` is our `approval`. */
export interface AiSdkTool {
  /** A text. One that the SDK would compute for each call is refused (T1002): the tool list of a run never changes. */
  description?: unknown
  inputSchema: unknown
  execute?: unknown
  needsApproval?: unknown
}

/** What `agent()` takes. */
export interface AgentOptions<O extends InputSchema | undefined = undefined> {
  /** A sentence for people, at most 500 characters, shown where they choose an agent. No model is told of it. */
  description?: string
  /** Any language model of the AI SDK, or one of ours. */
  model?: unknown
  instructions?: string
  tools?: ToolDefinition[] | Record<string, AiSdkTool>
  access?: Access
  limits?: Limits
  guards?: { in?: Guard[]; out?: Guard[] }
  /** Left out: the model asks nothing. */
  questions?: Questions
  /** A schema that the final answer must fit. */
  output?: O
  settings?: ModelSettings
  /** What follows when nobody answers in time. Default `'refuse'`. */
  onExpire?: OnExpire
  /** Another loop than the built-in one. */
  driver?: Driver
  extensions?: Extension[]
  /** Former names: parked runs of those names go on here. */
  aliases?: string[]
}

/** An agent as the engine keeps it. */
export interface AgentRecord<N extends string = string, O = unknown> extends AgentFacts {
  name: N
  driver?: Driver
  extensions: Extension[]
  /** Never set: carries the type of `output`. */
  readonly __output?: O
}

/** The type of an agent's output: its schema's, or text. */
export type Output<A> = A extends AgentRecord<string, infer O> ? O : unknown

type OutputOf<O> = O extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<O> : O extends undefined ? string : Json

/**
 * Defines an agent.
 * @throws QuerentError T1001 where the definition is wrong, T1002 for a tool's, T1004 for a limit.
 */
export function agent<const N extends string, const O extends InputSchema | undefined = undefined>(
  name: N,
  options: AgentOptions<O>,
): AgentRecord<N, OutputOf<O>> {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    throw wrong(`An agent has the name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, ".", "_" or "-".`)
  }
  if (typeof options !== 'object' || options === null)
    throw wrong(`Agent "${name}" has no options. Write agent("${name}", { model, … }).`)
  refuseUnknown(name, options)
  if (options.model === undefined && options.driver === undefined) {
    throw wrong(`Agent "${name}" has no model. Give an AI SDK language model, or a driver of your own.`)
  }
  const record: AgentRecord<N, OutputOf<O>> = {
    name,
    model: options.model,
    instructions: options.instructions ?? '',
    tools: toolsOf(name, options.tools ?? []),
    access: accessOf(name, options.access ?? 'signedIn'),
    limits: limitsOf(name, options.limits ?? {}),
    guards: { in: guardsOf(name, options.guards?.in, 'in'), out: guardsOf(name, options.guards?.out, 'out') },
    questions: options.questions ?? false,
    settings: options.settings ?? {},
    onExpire: onExpireOf(name, options.onExpire ?? 'refuse'),
    extensions: extensionsOf(name, options.extensions),
    aliases: options.aliases ?? [],
  }
  if (options.description !== undefined) record.description = descriptionOf(name, options.description)
  if (options.output !== undefined) record.output = inputSchemaOf(`output of ${name}`, options.output)
  if (options.driver) record.driver = options.driver
  return record
}

function wrong(message: string): QuerentError {
  return new QuerentError('T1001', message)
}

const known = [
  'description',
  'model',
  'instructions',
  'tools',
  'access',
  'limits',
  'guards',
  'questions',
  'output',
  'settings',
  'onExpire',
  'driver',
  'extensions',
  'aliases',
]

/** What was misspelt would be left out in silence: a guard that guards nothing, a limit that limits nothing. */
function refuseUnknown(name: string, options: AgentOptions<InputSchema | undefined>): void {
  const of = `Agent "${name}"`
  const parts: [string, unknown, readonly string[]][] = [
    ['', options, known],
    ['.guards', options.guards, ['in', 'out']],
    ['.limits', options.limits, ['steps', 'perRun', 'ask']],
    ['.limits.perRun', options.limits?.perRun, ['tokensOut', 'asks']],
    ['.questions', typeof options.questions === 'boolean' ? {} : options.questions, ['deliver']],
    ['.settings', options.settings, settingNames],
  ]
  for (const [part, value, names] of parts) {
    if (value === undefined) continue
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw wrong(`${of}${part} is ${JSON.stringify(value)}. Give an object with ${names.join(', ')}.`)
    }
    refuseUnknownOptions(value, { code: 'T1001', of: `${of}${part}`, known: names })
  }
}

const settingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'toolChoice',
  'headers',
  'providerOptions',
]

function descriptionOf(name: string, description: string): string {
  const text = typeof description === 'string' ? description.trim() : ''
  if (text !== '' && text.length <= 500) return text
  throw wrong(`Agent "${name}" has a description that is no text of 1 to 500 characters. Give a sentence for people.`)
}

function guardsOf(name: string, guards: Guard[] | undefined, direction: 'in' | 'out'): Guard[] {
  if (guards === undefined) return []
  if (Array.isArray(guards) && guards.every((guard) => typeof guard === 'function')) return guards
  throw wrong(`Agent "${name}" has guards.${direction} that are no list of functions. Give [(text, context) => …].`)
}

function extensionsOf(name: string, extensions: Extension[] | undefined): Extension[] {
  if (extensions === undefined) return []
  const isExtension = (each: unknown) =>
    typeof each === 'object' && each !== null && 'name' in each && typeof each.name === 'string'
  if (Array.isArray(extensions) && extensions.every(isExtension)) return extensions
  throw wrong(`Agent "${name}" has extensions that are none. Give a list of extensions, such as [ask()].`)
}

function toolsOf(name: string, tools: NonNullable<AgentOptions['tools']>): ToolDefinition[] {
  const list = Array.isArray(tools) ? [...tools] : Object.entries(tools).map(([key, value]) => fromAiSdk(key, value))
  const seen = new Set<string>()
  for (const each of list) {
    if (typeof each?.name !== 'string' || typeof each.execute !== 'function' || each.inputSchema === undefined) {
      throw new QuerentError(
        'T1002',
        `Agent "${name}" has something in tools that is no tool. Make each with tool({ name, description, input, execute }).`,
      )
    }
    if (seen.has(each.name)) throw wrong(`Agent "${name}" has two tools named "${each.name}". Rename one.`)
    seen.add(each.name)
  }
  return list
}

function fromAiSdk(name: string, value: AiSdkTool): ToolDefinition {
  const execute = value.execute
  if (typeof execute !== 'function') {
    throw new QuerentError(
      'T1002',
      `Tool "${name}" has no execute function. Without one nothing could answer its calls.`,
    )
  }
  const { description = '' } = value
  if (typeof description !== 'string') {
    throw new QuerentError(
      'T1002',
      `Tool "${name}" has a description that is no text. Give a text: what the model of a run is told never changes.`,
    )
  }
  return tool({
    name,
    description,
    input: value.inputSchema as InputSchema,
    execute: (input, ctx) => execute(input, { toolCallId: ctx.effect, messages: [], abortSignal: ctx.signal }),
    ...(value.needsApproval === undefined ? {} : { approval: value.needsApproval as Approval<unknown> }),
  })
}

function accessOf(name: string, access: Access): Access {
  if (typeof access === 'function' || ['everyone', 'signedIn', 'system'].includes(access)) return access
  throw wrong(
    `Agent "${name}" has the access ${JSON.stringify(access)}. Use "everyone", "signedIn", "system" or a function.`,
  )
}

function onExpireOf(name: string, onExpire: OnExpire): OnExpire {
  if (onExpire === 'refuse' || onExpire === 'tell' || onExpire === 'fail') return onExpire
  if (typeof onExpire === 'object' && onExpire !== null && 'answer' in onExpire) return { answer: onExpire.answer }
  throw wrong(
    `Agent "${name}" has the onExpire ${JSON.stringify(onExpire)}. Use "refuse", "tell", "fail" or { answer }.`,
  )
}

function limitsOf(name: string, limits: Limits): CheckedLimits {
  const count = (value: number | undefined, what: string): number | undefined => {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value
    throw new QuerentError(
      'T1004',
      `Agent "${name}" has limits.${what} = ${JSON.stringify(value)}. Give a whole number above 0.`,
    )
  }
  const checked: CheckedLimits = {
    steps: count(limits.steps, 'steps') ?? 50,
    asks: count(limits.perRun?.asks, 'perRun.asks') ?? 200,
  }
  const tokensOut = count(limits.perRun?.tokensOut, 'perRun.tokensOut')
  if (tokensOut !== undefined) checked.tokensOut = tokensOut
  if (limits.ask !== undefined) checked.askMs = durationMs(limits.ask, `limits.ask of agent "${name}"`)
  return checked
}
