import {
  type AgentFacts,
  type AskRule,
  checkAnswer,
  checkShape,
  defaultTexts,
  type Extension,
  endResult,
  type Failure,
  failure,
  type InnerQuestion,
  type Json,
  type JsonSchema,
  type Park,
  park,
  type RunFacts,
  resultOf,
  type SettledAsk,
  type Texts,
  type ToolDefinition,
  type ToolResult,
} from 'querent/extension'
import { readQuestion, refusal } from './read-question.ts'
import { answerSchemaOf, describe, optionsOf, type Question, questionLimits } from './spec.ts'

/** Gives a model the tool `question`, with which it asks the person and waits, durably, for the answer. */
export const question: Extension = {
  name: 'question',
  reserves: ['question'],
  tools: (agent, run) => (isOffered(agent, run) ? [questionTool(agent)] : []),
  askInTool,
  kinds: [{ kind: 'question', describe: (ask) => describe(ask.input as Question), resolve }],
}

/** Only where somebody can answer: not in a delegated run, and not on a trigger that nobody waits behind. */
function isOffered(agent: AgentFacts, run: RunFacts): boolean {
  return agent.questions !== false && run.depth === 0 && (run.trigger === 'chat' || run.trigger === 'system')
}

function questionTool(agent: AgentFacts): ToolDefinition {
  return {
    name: 'question',
    description,
    inputSchema,
    asks: true,
    // It only reads what it is given.
    retrySafe: true,
    replays: false,
    execute: (input) => ask(agent, input as Json),
  }
}

async function ask(agent: AgentFacts, input: Json): Promise<Park | Failure> {
  const read = readQuestion(input)
  if (!read.ok) return failure(read.message)
  const asked = read.question
  if (asked.shape !== undefined) {
    const shape = await checkShape(asked.shape)
    if (!shape.ok) return failure(refusal([`"shape" cannot be used. ${shape.message.replace(/\.$/, '')}`]).message)
  }
  const answerSchema = answerSchemaOf(asked)
  const never = await neverFits(asked, answerSchema)
  if (never) return failure(refusal([never]).message)
  return park({
    ...parkOf(asked, answerSchema),
    rule: await ruleOf(agent, answerSchema),
    held: true,
    ...(isDeliveredAsMessage(agent) ? { waiting: defaultTexts.waiting } : {}),
  })
}

/** What a question is stored as, whoever asks it. */
function parkOf(asked: Question, answerSchema: JsonSchema) {
  const options = optionsOf(asked)
  return { kind: 'question', tool: 'question', input: asked, answerSchema, ...(options ? { options } : {}) }
}

/**
 * `ctx.ask`: the words of the tool's author, whose schemas need no limits (checks of answers are bounded whatever they
 * are). There is no default answer here: the tool is told that nobody answered, and knows best what follows.
 */
function askInTool({ key: _, ...input }: InnerQuestion, agent: AgentFacts): Park | Failure {
  const read = readQuestion(JSON.parse(JSON.stringify(input)) as Json)
  if (!read.ok) return failure(read.message)
  const { onExpire } = agent
  return park({
    ...parkOf(read.question, answerSchemaOf(read.question)),
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

function isDeliveredAsMessage(agent: AgentFacts): boolean {
  return typeof agent.questions === 'object' && agent.questions.deliver === 'message'
}

/** What the model hears when the question is over: the answer, or in words why there is none. */
function resolve(ask: SettledAsk, texts: Texts): ToolResult {
  return ask.end.outcome === 'approved' ? resultOf(ask.end.data) : endResult(ask, texts, { defaultAnswer: true })
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
