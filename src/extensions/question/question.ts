import {
  type AgentFacts,
  type AskRule,
  checkAnswer,
  checkShape,
  type Extension,
  type Failure,
  failure,
  type InnerQuestion,
  isAnswerable,
  type Json,
  type JsonSchema,
  notAsked,
  type Park,
  park,
  QuerentError,
  type Question,
  type QuestionDialect,
  questionAsk,
  questionKind,
  questionLimits,
  type RunFacts,
  readQuestion,
  type ToolDefinition,
} from 'querent/extension'

/** How the model is to ask. */
export interface QuestionsOptions {
  /** `'result'` (default): the answer is the result of the call. `'message'`: it follows as a message of the person. */
  deliver?: 'result' | 'message'
}

/**
 * Gives a model the tool `question`, with which it asks the person and waits, durably, for the answer. For an agent that
 * has it among its `extensions`; what comes with the package, and goes by `agent({ questions })`, is `question`.
 * @throws QuerentError T1001 for an option that is none.
 */
export function questions(options: QuestionsOptions = {}): Extension {
  const { deliver = 'result' } = options
  if (deliver !== 'result' && deliver !== 'message') {
    throw new QuerentError('T1001', `questions(): deliver is ${JSON.stringify(deliver)}. Use "result" or "message".`)
  }
  return {
    name: 'question',
    reserves: ['question'],
    tools: (agent, run) => toolsOf(agent, run, options),
    askInTool,
    kinds: [questionKind],
  }
}

/** `agent({ questions })`: `true`, or the options of `questions()`. */
export const question: Extension = {
  ...questions(),
  tools: (agent, run) =>
    agent.questions === false ? [] : toolsOf(agent, run, agent.questions === true ? {} : agent.questions),
}

/** Nobody is offered a tool whose calls nobody could answer. */
function toolsOf(agent: AgentFacts, run: RunFacts, options: QuestionsOptions): ToolDefinition[] {
  return isAnswerable(run) ? [questionTool(agent, options)] : []
}

function questionTool(agent: AgentFacts, options: QuestionsOptions): ToolDefinition {
  return {
    name: 'question',
    description,
    inputSchema,
    asks: true,
    // It only reads what it is given.
    retrySafe: true,
    replays: false,
    execute: (input) => ask(agent, options, input as Json),
  }
}

const dialect: QuestionDialect = { choices: 'choices', fields: ['question', 'choices', 'multi', 'other', 'shape'] }

async function ask(agent: AgentFacts, { deliver }: QuestionsOptions, input: Json): Promise<Park | Failure> {
  const read = readQuestion(input, dialect)
  if (!read.ok) return failure(read.message)
  const { shape } = read.question
  if (shape !== undefined) {
    const checked = await checkShape(shape)
    if (!checked.ok) return failure(notAsked([`"shape" cannot be used. ${checked.message.replace(/\.$/, '')}`]))
  }
  const asked = questionAsk('question', read.input, read.question)
  const never = await neverFits(read.question, asked.answerSchema)
  if (never) return failure(notAsked([never]))
  return park({
    ...asked,
    rule: await ruleOf(agent, asked.answerSchema),
    held: true,
    ...(deliver === 'message' ? { waiting: true } : {}),
  })
}

/**
 * `ctx.ask`: the words of the tool's author, whose schemas need no limits (checks of answers are bounded whatever they
 * are). There is no default answer here: the tool is told that nobody answered, and knows best what follows.
 */
function askInTool({ key: _, ...input }: InnerQuestion, agent: AgentFacts): Park | Failure {
  const read = readQuestion(JSON.parse(JSON.stringify(input)) as Json, dialect)
  if (!read.ok) return failure(read.message)
  const { onExpire } = agent
  return park({
    ...questionAsk('question', read.input, read.question),
    rule: { onExpire: typeof onExpire === 'object' ? 'tell' : onExpire, guarded: agent.guards.in.length > 0 },
  })
}

/** A choice that the shape refuses could be seen, but never given. */
async function neverFits(
  { choices, multi, other, shape }: Question,
  answerSchema: JsonSchema,
): Promise<string | undefined> {
  if (choices === undefined || typeof shape !== 'object' || multi || other) return undefined
  for (const choice of choices) {
    const label = typeof choice === 'string' ? choice : choice.label
    const issues = await checkAnswer(answerSchema, label)
    if (issues.length > 0) {
      return `the choice ${JSON.stringify(label)} does not fit "shape" (it ${issues[0]?.message}); leave "shape" out: the answer is one of the labels`
    }
  }
  return undefined
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
The answer is the result of this call: a text for a free question; the label, exactly, for choices; a list of labels \
with multi; { selected, other } where the person added a text of their own; a JSON value that fits shape. The person \
may also refuse, which is a final answer: do not ask the same again. Never ask for passwords, keys or other secrets: \
answers are stored.`

const text = (about: string): JsonSchema => ({ type: 'string', description: about })

const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    question: text(
      `The question, complete and in the person's language: they may see nothing else. At most ${questionLimits.questionBytes} bytes; the rest is cut off.`,
    ),
    choices: {
      type: 'array',
      minItems: 1,
      maxItems: questionLimits.choices,
      description:
        'The answers to choose from, of which the person gives one. Leave it out for a free text. Labels must differ visibly; put what a choice means into its description.',
      items: {
        anyOf: [
          text('The label.'),
          {
            type: 'object',
            properties: {
              label: text('What the person chooses, and what you get back.'),
              description: text('What the choice means or leads to.'),
            },
            required: ['label'],
            additionalProperties: false,
          },
        ],
      },
    },
    multi: { type: 'boolean', description: 'With choices: the person may give several. You get a list of labels.' },
    other: {
      type: 'boolean',
      description:
        "With choices: a text of the person's own is welcome. You may get { selected: [labels], other: text }.",
    },
    shape: {
      type: 'object',
      description:
        'A JSON Schema (draft 2020-12) that the answer must fit, for a number, a date or a small form: { "type": "object", "properties": { "size": { "type": "integer", "title": "Size", "minimum": 1 } }, "required": ["size"] }. Give fields a title. No remote or recursive references; patterns without look-around or back-references.',
    },
  },
  required: ['question'],
  additionalProperties: false,
}
