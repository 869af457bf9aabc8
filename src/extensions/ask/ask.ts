import {
  type AgentFacts,
  type AskRule,
  checkAnswer,
  type Extension,
  type Failure,
  failure,
  isAnswerable,
  isObject,
  type Json,
  type JsonSchema,
  type Park,
  park,
  QuerentError,
  type QuestionDialect,
  questionAsk,
  questionKind,
  questionLimits,
  readQuestion,
  type ToolDefinition,
} from 'querent/extension'

/** How the model is to ask. */
export interface AskOptions {
  /** `'result'` (default): the answer is the result of the call. `'message'`: it follows as a message of the person. */
  deliver?: 'result' | 'message'
}

/**
 * Gives a model the tool `ask`, with `{ question, options?, multi? }`: the same questions as `agent({ questions })` asks,
 * for models and prompts that know this dialect. Install it with `agent({ extensions: [ask()] })`, beside `questions` or
 * without; no tool of the agent may then be named `ask` (T1009). It is offered where somebody can answer.
 *
 * Of more than 8 options the first 8 are kept; an empty list is none, and asks for a free text. What the person answers
 * is a text, the label, or with `multi` a list of labels.
 * @throws QuerentError T1001 for an option that is none.
 */
export function ask(options: AskOptions = {}): Extension {
  const { deliver = 'result' } = options
  if (deliver !== 'result' && deliver !== 'message') {
    throw new QuerentError('T1001', `ask(): deliver is ${JSON.stringify(deliver)}. Use "result" or "message".`)
  }
  return {
    name: 'ask',
    reserves: ['ask'],
    tools: (agent, run) => (isAnswerable(run) ? [askTool(agent, options)] : []),
    kinds: [questionKind],
  }
}

function askTool(agent: AgentFacts, options: AskOptions): ToolDefinition {
  return {
    name: 'ask',
    description,
    inputSchema,
    asks: true,
    // It only reads what it is given.
    retrySafe: true,
    replays: false,
    execute: (input) => askPerson(agent, options, input as Json),
  }
}

const maxOptions = 8
const dialect: QuestionDialect = { choices: 'options', fields: ['question', 'options', 'multi'] }

async function askPerson(agent: AgentFacts, { deliver }: AskOptions, input: Json): Promise<Park | Failure> {
  const read = readQuestion(withFirstOptions(input), dialect)
  if (!read.ok) return failure(read.message)
  const asked = questionAsk('ask', read.input, read.question)
  return park({
    ...asked,
    rule: await ruleOf(agent, asked.answerSchema),
    held: true,
    ...(deliver === 'message' ? { waiting: true } : {}),
  })
}

/** Those who know this dialect send long lists, and empty ones for "no options". */
function withFirstOptions(input: Json): Json {
  if (!isObject(input) || !Array.isArray(input.options)) return input
  return { ...input, options: input.options.length === 0 ? null : input.options.slice(0, maxOptions) }
}

/** The agent's rule as it is now; it is stored with the ask. A default answer that was not asked for is never given. */
async function ruleOf(agent: AgentFacts, answerSchema: JsonSchema): Promise<AskRule> {
  const { onExpire } = agent
  const misfit = typeof onExpire === 'object' && (await checkAnswer(answerSchema, onExpire.answer)).length > 0
  return { onExpire: misfit ? 'tell' : onExpire, guarded: agent.guards.in.length > 0 }
}

const description = `Ask the person one question and wait for the answer. Use it when you need a decision, a preference or \
a fact that only the person has; do not guess it, and do not ask for what you can find out yourself. One question per \
call; call it several times in one turn for questions that do not depend on each other. Other calls of the same turn \
that change something are not run, so ask first and act on the answer.
With options the answer is the label, exactly, or with multi a list of labels; without options it is a free text. The \
person may also refuse, which is a final answer: do not ask the same again. Never ask for passwords, keys or other \
secrets: answers are stored.`

const text = (about: string): JsonSchema => ({ type: 'string', description: about })

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    question: text(
      `The question, complete and in the person's language: they may see nothing else. At most ${questionLimits.questionBytes} bytes; the rest is cut off.`,
    ),
    options: {
      type: 'array',
      maxItems: maxOptions,
      description: `The answers to choose from, of which the person gives one; the first ${maxOptions} are shown. Leave it out for a free text. Labels must differ visibly.`,
      items: {
        type: 'object',
        properties: {
          label: text('What the person chooses, and what you get back.'),
          description: text('What the option means or leads to.'),
        },
        required: ['label'],
        additionalProperties: false,
      },
    },
    multi: { type: 'boolean', description: 'With options: the person may give several. You get a list of labels.' },
  },
  required: ['question'],
  additionalProperties: false,
}
