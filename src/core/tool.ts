import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { AskOption, AskRule, OpenedAsk } from './ask.ts'
import { type Issue, QuerentError } from './error.ts'
import { isObject, type Json, type JsonSchema } from './json.ts'

/** What a model hears of a call. `error` tells it that the call did not do what it asked. */
export type ToolResult =
  | { type: 'text'; value: string }
  | { type: 'json'; value: Json }
  | { type: 'error'; value: string }

/** A call worked. */
export interface Result {
  type: 'result'
  result: ToolResult
}

/** A call did not work, and the model is told why so that it can repair it. Nobody is asked. */
export interface Failure {
  type: 'failure'
  message: string
}

/** A call waits for a person. Made with `park`. */
export interface Park {
  type: 'park'
  ask: Omit<OpenedAsk, 'id' | 'effect' | 'repeat' | 'step' | 'n' | 'waiting'> & { waiting?: true | string }
}

/** A run of another agent does the work of a call; its end is the result. Made with `startChild`. */
export interface StartChild {
  type: 'child'
  agent: string
  input: string
}

export type ToolOutcome = Result | Failure | Park | StartChild

/** Has a run of another agent do the work of a call. It is the same run however often the call begins. */
export function startChild(agent: string, input: string): StartChild {
  return outcome({ type: 'child', agent, input })
}

const brand = Symbol.for('querent.outcome')

/** A tool may return data of any form as its result: only what these functions made is more than that. */
function outcome<T extends ToolOutcome>(value: T): T {
  return Object.defineProperty(value, brand, { value: true })
}

/** Whether a tool returned `park(...)`, `failure(...)` or `startChild(...)`, made by any copy of this package. */
export function isOutcome(value: unknown): value is ToolOutcome {
  return typeof value === 'object' && value !== null && brand in value
}

/** Ends the work on a call until a person has answered. Return it; nothing is thrown. */
export function park(ask: {
  kind: string
  tool: string
  input: Json
  options?: AskOption[]
  /** The whole check of an answer as one JSON Schema. */
  answerSchema?: JsonSchema
  /** How long to wait, in milliseconds. Left out: as the agent's `limits.ask` says. */
  waitMs?: number
  rule: AskRule
  /** Hold back calls of the same turn that need no approval and are not `retrySafe`. */
  held?: boolean
  /** Delivery as a message: what the call answers at once. `true`: in the words of the engine's `texts`. */
  waiting?: true | string
}): Park {
  return outcome({ type: 'park', ask })
}

/** Tells the model that a call failed, and how to repair it. */
export function failure(message: string): Failure {
  return outcome({ type: 'failure', message })
}

/** What a value becomes for the model: a string as text, everything else as JSON, nothing at all as `null`. */
export function resultOf(value: unknown): ToolResult {
  if (typeof value === 'string') return { type: 'text', value }
  const text = JSON.stringify(value)
  return { type: 'json', value: text === undefined ? null : (JSON.parse(text) as Json) }
}

/** How an ask inside a tool ended. */
export type InnerAnswer<T = Json> =
  | { status: 'answered'; data: T }
  | { status: 'refused'; reason?: string }
  | { status: 'expired' }

/** What `ctx.ask` asks. */
export interface InnerQuestion {
  /** Names the ask within its call, whatever order asks are made in. */
  key: string
  question: string
  choices?: (string | AskOption)[]
  multi?: boolean
  other?: boolean
  shape?: JsonSchema
}

/** What a tool is given beside its input. */
export interface ToolContext {
  run: string
  step: string
  /** Our own id of this call: unique over all runs, the same after a restart. Use it as an idempotency key. */
  effect: string
  /** Who started the run, where it was a person. */
  person?: { id: string }
  /** Aborts on stop, on a time-out, when the work is abandoned at an ask, and when this worker may no longer write. */
  signal: AbortSignal
  /**
   * Asks the person and waits, durably. For tools that are `retrySafe` or say `replays: true` (others: T1010). The work
   * on the tool is abandoned here: nothing behind this `await` runs, `finally` included, until the answer is there;
   * then `execute` runs again from the top. It does not where nothing may be asked (an out guard refused it, the person
   * wrote before) or nothing will be answered (they wrote instead, the run was stopped): the call's result says so.
   */
  ask(question: InnerQuestion): Promise<InnerAnswer>
  /**
   * Keeps a result over such repeats: `fn` runs once, later repeats get what it returned. Await it before you ask: what is
   * still going on when the work is abandoned is not kept, and is done again.
   */
  once<T extends Json>(key: string, fn: () => T | Promise<T>): Promise<T>
}

/** Whether an approval is needed: always, by the input, or with the input open to change. */
export type Approval<I> =
  | boolean
  | ((input: I, ctx: { run: string; person?: { id: string } }) => boolean | Promise<boolean>)
  | {
      editable?: boolean
      when?: (input: I, ctx: { run: string; person?: { id: string } }) => boolean | Promise<boolean>
    }

/** The outcome of checking an input against a tool's own schema. */
export type Checked = { ok: true; value: unknown } | { ok: false; issues: Issue[] }

/** A tool as the engine keeps it. Made with `tool(...)`, or by an extension. */
export interface ToolDefinition {
  name: string
  description: string
  inputSchema: JsonSchema
  /** Rules beyond `inputSchema` (a Standard Schema's), checked before the tool runs. What is stored stays as it came. */
  check?(input: Json): Checked | Promise<Checked>
  /** Does the work. Any value is its result; `park(...)` and `failure(...)` are what they say. */
  execute(input: unknown, ctx: ToolContext): unknown
  approval?: Approval<never>
  retrySafe: boolean
  replays: boolean
  timeoutMs?: number
  /**
   * The tool only asks: `execute` prepares and checks its input and returns `park(...)` or `failure(...)`, does nothing
   * else, and may run any number of times. Such calls are asked at once; nothing but a person answers them.
   */
  asks?: boolean
  /** The agent whose run does the work, where one does: `execute` returns `startChild(...)`. It must be known to the engine. */
  delegatesTo?: string
}

/** A schema for a tool's input: a Standard Schema that can tell its JSON Schema (zod, valibot, arktype), or JSON Schema. */
export type InputSchema = StandardSchemaV1 | { readonly [keyword: string]: unknown }

/** The type of the input that a schema lets through. */
export type InputOf<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Json

/** What `tool()` takes. */
export interface ToolOptions<S extends InputSchema> {
  /** Letters, digits, `_` and `-`, at most 64: what every provider takes. */
  name: string
  description: string
  input: S
  execute(input: InputOf<S>, ctx: ToolContext): unknown
  /** Ask a person before it runs. */
  approval?: Approval<InputOf<S>>
  /** Running it twice does no harm: it reads, or it uses `ctx.effect` as an idempotency key. Default false. */
  retrySafe?: boolean
  /** It may be run again from the top after an ask inside it or a crash, though it is not `retrySafe`. Default false. */
  replays?: boolean
  /** Milliseconds, or `'30s'`. Then `ctx.signal` aborts and the model is told. Default: none. */
  timeout?: number | string
}

/**
 * Defines a tool.
 * @throws QuerentError T1002 where the name or the schema is not usable, T1004 for a bad `timeout`.
 */
export function tool<const S extends InputSchema>(options: ToolOptions<S>): ToolDefinition {
  if (typeof options !== 'object' || options === null)
    throw new QuerentError('T1002', 'tool() takes an object: { name, description, input, execute, … }.')
  const { name } = options
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new QuerentError(
      'T1002',
      `A tool has the name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, "_" or "-": providers take no other.`,
    )
  }
  if (typeof options.execute !== 'function') {
    throw new QuerentError('T1002', `Tool "${name}" has no execute function. Give it one: execute(input, ctx).`)
  }
  refuseUnknownOptions(options, { code: 'T1002', of: `Tool "${name}"`, known: toolOptions })
  checkFlags(name, options)
  const schema = inputSchemaOf(name, options.input)
  const definition: ToolDefinition = {
    name,
    description: options.description ?? '',
    inputSchema: schema.json,
    execute: options.execute as ToolDefinition['execute'],
    retrySafe: options.retrySafe === true,
    replays: options.replays === true,
  }
  if (schema.check) definition.check = schema.check
  if (options.approval !== undefined && options.approval !== false)
    definition.approval = options.approval as Approval<never>
  if (options.timeout !== undefined) definition.timeoutMs = durationMs(options.timeout, `timeout of tool "${name}"`)
  return definition
}

const toolOptions = ['name', 'description', 'input', 'execute', 'approval', 'retrySafe', 'replays', 'timeout']

/** A misspelt option would be left out in silence: `aproval: true` must not be a tool that runs unasked. */
export function refuseUnknownOptions(
  options: object,
  { code, of, known }: { code: 'T1001' | 'T1002' | 'T1004'; of: string; known: readonly string[] },
): void {
  const unknown = Object.keys(options).filter((key) => !known.includes(key))
  if (unknown.length === 0) return
  const named = unknown.map((key) => `"${key}"`).join(', ')
  throw new QuerentError(code, `${of} has the unknown option ${named}. Known: ${known.join(', ')}.`)
}

function checkFlags(
  name: string,
  { retrySafe, replays, approval }: { retrySafe?: unknown; replays?: unknown; approval?: unknown },
): void {
  for (const [flag, value] of Object.entries({ retrySafe, replays })) {
    if (value === undefined || typeof value === 'boolean') continue
    throw new QuerentError('T1002', `Tool "${name}" has ${flag} = ${JSON.stringify(value)}. Give true or false.`)
  }
  if (approval === undefined || typeof approval === 'boolean' || typeof approval === 'function') return
  const of = `approval of tool "${name}"`
  if (typeof approval !== 'object' || approval === null) {
    throw new QuerentError(
      'T1002',
      `The ${of} is ${JSON.stringify(approval)}. Give true, a function, or { editable, when }.`,
    )
  }
  refuseUnknownOptions(approval, { code: 'T1002', of: `The ${of}`, known: ['editable', 'when'] })
}

interface SchemaInfo {
  json: JsonSchema
  check?: ToolDefinition['check']
}

/** Reads a schema in whichever form it was given. */
export function inputSchemaOf(name: string, schema: unknown): SchemaInfo {
  if (isStandardSchema(schema)) return standardSchemaOf(name, schema)
  if (isAiSdkSchema(schema)) {
    const json = schema.jsonSchema as JsonSchema
    return { json }
  }
  if (isObject(schema)) return { json: JSON.parse(JSON.stringify(schema)) as JsonSchema }
  throw new QuerentError(
    'T1002',
    `Tool "${name}" has no input schema. Give a zod or valibot schema, or a JSON Schema object.`,
  )
}

function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
}

function isAiSdkSchema(schema: unknown): schema is { jsonSchema: unknown } {
  return typeof schema === 'object' && schema !== null && 'jsonSchema' in schema && 'validate' in schema
}

function standardSchemaOf(name: string, schema: StandardSchemaV1): SchemaInfo {
  const standard = schema['~standard'] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>
  if (!standard.jsonSchema) {
    throw new QuerentError(
      'T1002',
      `The input schema of tool "${name}" (${standard.vendor}) cannot tell its JSON Schema. Use zod 4.2 or later, ` +
        'arktype 2.1.28 or later, valibot through toStandardJsonSchema of @valibot/to-json-schema, or a JSON Schema.',
    )
  }
  return {
    json: JSON.parse(JSON.stringify(standard.jsonSchema.input({ target: 'draft-2020-12' }))) as JsonSchema,
    async check(input) {
      const checked = await standard.validate(input)
      if (!checked.issues) return { ok: true, value: checked.value }
      return {
        ok: false,
        issues: checked.issues.map((issue) => ({ path: pointerOf(issue.path), message: issue.message })),
      }
    },
  }
}

function pointerOf(path: StandardSchemaV1.Issue['path']): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Reads a duration: milliseconds, or a number with `ms`, `s`, `m`, `h`, `d` or `w`.
 * @throws QuerentError T1004 where it is not one, or not above zero.
 */
export function durationMs(value: number | string, what: string): number {
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)$/.exec(value.trim()) : undefined
  const ms = match ? Number(match[1]) * (unitMs[match[2] as string] as number) : value
  if (typeof ms === 'number' && Number.isFinite(ms) && ms > 0 && ms <= 8.64e15) return Math.ceil(ms)
  throw new QuerentError(
    'T1004',
    `The ${what} is ${JSON.stringify(value)}. Give milliseconds above 0, or a text such as "30s", "15m", "12h" or "7d".`,
  )
}
