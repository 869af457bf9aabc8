import { type AgentRecord, agent, tool } from 'querent'
import { type Model, ModelError, type ModelReply, type ModelRequest } from 'querent/model'
import type { Tape } from './tape.ts'

/** Holds models and tools where they are until the test lets one of them go. */
export class Gates {
  #waiting: { name: string; open: () => void }[] = []
  /** Whether everything may pass. */
  open = false

  get names(): string[] {
    return this.#waiting.map(({ name }) => name)
  }

  /** Resolves when it is let go, or its signal aborts. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    if (this.open || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const entry = { name, open: () => resolve() }
    this.#waiting.push(entry)
    signal.addEventListener('abort', entry.open, { once: true })
    await promise
    signal.removeEventListener('abort', entry.open)
    this.#waiting = this.#waiting.filter((each) => each !== entry)
  }

  release(index: number): void {
    this.#waiting.splice(index, 1)[0]?.open()
  }

  releaseAll(): void {
    this.open = true
    for (const { open } of this.#waiting.splice(0)) open()
  }
}

type PlannedCall = { tool: string; input: { [key: string]: string | string[] }; id?: string }

interface PlannedTurn {
  text: string
  calls: PlannedCall[]
  /** How often the provider fails before it replies, in each process anew. */
  failures: number
}

/** What was seen of all processes of one history: what the models were sent, what the tools did. */
export interface Seen {
  /** Prompts by the first message, which names the run. Each message as text. */
  prompts: Map<string, string[][]>
  /** Runs of tools that must not run twice, by effect. */
  acted: Map<string, { tool: string; input: unknown }[]>
}

/** An agent whose turns the tape made up, with tools of every kind. The same in every process of a history. */
export class RandomAgent {
  readonly onExpire: 'refuse' | 'tell' | 'fail'
  private readonly turns: PlannedTurn[]
  private readonly deliver: 'result' | 'message'
  private readonly steps: number
  private readonly askMs: number | undefined

  constructor(tape: Tape) {
    this.turns = Array.from({ length: 1 + tape.pick(7) }, () => turnOf(tape))
    this.deliver = tape.oneOf(['result', 'message'] as const)
    this.steps = 2 + tape.pick(8)
    this.askMs = tape.oneOf([undefined, 60_000])
    this.onExpire = tape.oneOf(['refuse', 'tell', 'fail'] as const)
  }

  get story(): string {
    const turns = this.turns.map(({ text, calls }) => [text, ...calls.map((call) => JSON.stringify(call))].join(' '))
    return `${this.deliver} ${this.steps} ${this.askMs} ${this.onExpire}\n    ${turns.join('\n    ')}`
  }

  /** The agent as one process has it. */
  inProcess(gates: Gates, seen: Seen): AgentRecord {
    return agent('asker', {
      model: this.model(gates, seen),
      questions: { deliver: this.deliver },
      tools: toolsOf(gates, seen),
      limits: { steps: this.steps, ...(this.askMs === undefined ? {} : { ask: this.askMs }) },
      onExpire: this.onExpire,
      guards: { out: [(text) => (text.includes('HIDDEN') ? { refuse: 'no' } : true)] },
    }) as AgentRecord
  }

  private model(gates: Gates, seen: Seen): Model {
    const failed = new Map<number, number>()
    const turnOfIndex = (index: number) => this.turns[index] ?? { text: 'end', calls: [], failures: 0 }
    return {
      id: 'random',
      async *step({ messages, signal }: ModelRequest) {
        const prompt = messages.map((message) => JSON.stringify(message))
        const first = prompt[0] as string
        seen.prompts.set(first, [...(seen.prompts.get(first) ?? []), prompt])
        const index = messages.filter(({ role }) => role === 'assistant').length
        const turn = turnOfIndex(index)
        await gates.pass(`model ${index}`, signal)
        signal.throwIfAborted()
        const failures = failed.get(index) ?? 0
        failed.set(index, failures + 1)
        if (failures < turn.failures) throw new ModelError('The provider is busy.', { retryable: true })
        yield { type: 'text', text: turn.text }
        yield replyOf(turn, index)
      },
    }
  }
}

function turnOf(tape: Tape): PlannedTurn {
  const calls = Array.from({ length: tape.pick(5) }, () => callOf(tape))
  return { text: tape.oneOf(['', 'said', 'said', 'HIDDEN text']), calls, failures: tape.chance(8) ? 1 : 0 }
}

function callOf(tape: Tape): PlannedCall {
  const name = tape.oneOf(['read', 'write', 'pay', 'form', 'question', 'question', 'fails', 'gone'])
  const id = tape.oneOf([{}, { id: 'same' }, { id: '' }])
  if (name !== 'question') return { tool: name, input: { of: tape.oneOf(['a', 'b', 'HIDDEN']) }, ...id }
  const question = tape.oneOf(['Size?', 'Size?', 'Colour?', 'HIDDEN?', ''])
  return { tool: name, input: { question, ...(tape.chance(2) ? { choices: ['S', 'M'] } : {}) }, ...id }
}

function replyOf({ text, calls }: PlannedTurn, index: number): ModelReply {
  const list = calls.map((call, m) => ({ id: call.id ?? `c${index}${m}`, tool: call.tool, input: call.input }))
  const content = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...list.map(({ id, tool: toolName, input }) => ({ type: 'tool-call', toolCallId: id, toolName, input })),
  ]
  return {
    type: 'reply',
    messages: [JSON.stringify({ role: 'assistant', content })],
    text,
    calls: list,
    usage: { inputTokens: 1, outputTokens: 1 },
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
  }
}

function toolsOf(gates: Gates, { acted }: Seen) {
  const input = { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] } as const
  const common = { description: 'a tool', input }
  const act = (effect: string, by: { tool: string; input: unknown }) =>
    acted.set(effect, [...(acted.get(effect) ?? []), by])
  return [
    tool({
      ...common,
      name: 'read',
      retrySafe: true,
      async execute(_, { signal }) {
        await gates.pass('read', signal)
        return 'RESULT'
      },
    }),
    tool({
      ...common,
      name: 'write',
      async execute(given, { effect, signal }) {
        act(effect, { tool: 'write', input: given })
        await gates.pass('write', signal)
        return 'RESULT'
      },
    }),
    tool({
      ...common,
      name: 'pay',
      approval: true,
      async execute(given, { effect, signal }) {
        act(effect, { tool: 'pay', input: given })
        await gates.pass('pay', signal)
        return { paid: 'RESULT' }
      },
    }),
    tool({
      ...common,
      name: 'form',
      replays: true,
      async execute(_, ctx) {
        await ctx.once('begin', () => 'RESULT')
        const both = ['a', 'b'].map((key) => ctx.ask({ key, question: `Which ${key}?` }))
        const [a, b] = await Promise.all(both)
        await gates.pass('form', ctx.signal)
        const c = await ctx.ask({ key: 'c', question: 'Sure?', choices: ['yes', 'no'] })
        return [a, b, c]
      },
    }),
    tool({
      ...common,
      name: 'fails',
      retrySafe: true,
      execute() {
        throw new Error('RESULT: it failed')
      },
    }),
  ]
}
