import { AsyncLocalStorage } from 'node:async_hooks'
import { type RunToolApprovalItem, type Tool, tool } from '@openai/agents'

/** Answers of people to calls of `askTool()`, by the id of the call, for what runs inside. */
const answers = new AsyncLocalStorage<ReadonlyMap<string, string>>()
const asking = new WeakSet<object>()

/**
 * A tool with which an agent of the OpenAI Agents SDK asks the person: a question with or without choices, or an answer
 * that fits a JSON Schema, as the `question` tool of the built-in loop. Give it to the agent (`tools: [askTool()]`) and
 * say `questions: true` on ours. To the SDK each call waits for an approval; what the person answers is its result.
 *
 * Outside of the driver `openaiAgents()` an approved call throws: nobody was asked.
 */
export function askTool(): Tool<unknown> {
  const made = tool({
    name: 'question',
    description:
      'Asks the person a question and waits for the answer, which may take long. Ask only what you need and cannot find out. ' +
      'One question per call; give choices where the answer is one of a few.',
    parameters,
    strict: false,
    needsApproval: true,
    // A fault of whoever built it, not of the model: it ends the run, and says why.
    errorFunction: null,
    execute: (_input, _context, details) => answerTo(details?.toolCall?.callId),
  })
  asking.add(made)
  return made
}

/** Whether an interruption is a question, and not a call that needs leave. */
export function isQuestion({ agent, name }: RunToolApprovalItem): boolean {
  return agent.tools.some((each) => each.name === name && asking.has(each))
}

/** Runs `work`, in which calls of `askTool()` return these answers. */
export function withAnswers<T>(given: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T> {
  return answers.run(given, work)
}

function answerTo(callId: string | undefined): string {
  const answer = answers.getStore()?.get(callId ?? '')
  if (answer === undefined) throw new Error('Nobody was asked: askTool() needs the driver openaiAgents() of Querent.')
  return answer
}

/** Not strict: a shape is any JSON Schema. What does not make a question is told to the model, and nobody is asked. */
const parameters = {
  type: 'object' as const,
  properties: {
    question: { type: 'string', description: 'The question, for a person to read.' },
    choices: {
      type: 'array',
      description: 'The answers, of which the person gives one: texts, or objects with a label and a description.',
      items: {
        anyOf: [
          { type: 'string' },
          {
            type: 'object',
            properties: { label: { type: 'string' }, description: { type: 'string' } },
            required: ['label'],
          },
        ],
      },
    },
    multi: { type: 'boolean', description: 'The person may give several of the choices.' },
    other: { type: 'boolean', description: 'A text of their own is welcome beside the choices.' },
    shape: { type: 'object', description: 'A JSON Schema that the answer must fit.' },
  },
  required: ['question' as const],
  additionalProperties: true as const,
}
