import { Agent, type AgentInputItem, Runner, tool } from '@openai/agents'
import { ScriptedModel, type ScriptedModelInput } from '@openai/agents/testing'
import { type AgentOptions, type AgentRecord, agent } from 'querent'
import { askTool, type OpenAIAgentsOptions, openaiAgents } from 'querent/openai-agents'

/** Runs without traces: they would be sent to whoever the key of the machine belongs to. */
export const runner = new Runner({ tracingDisabled: true })

const record = {
  type: 'object' as const,
  properties: { id: { type: 'integer' } },
  required: ['id' as const],
  additionalProperties: true as const,
}

/** Tools of the SDK that note what they did: one that needs leave, one that does not. */
export function toolsNoting(note: (done: string) => void) {
  const noting = (name: string, needsApproval: boolean) =>
    tool({
      name,
      description: `${name}s a record.`,
      parameters: record,
      strict: false,
      needsApproval,
      execute: (input) => {
        note(`${name} ${(input as { id: number }).id}`)
        return `${name} done`
      },
    })
  return [noting('delete', true), noting('find', false)]
}

/** A clerk of the SDK that plays turns, as an agent of ours. */
export function clerk(
  turns: ScriptedModelInput[],
  { agentOptions = {}, ...options }: OpenAIAgentsOptions<unknown> & { agentOptions?: AgentOptions } = {},
) {
  const model = new ScriptedModel(turns)
  const done: string[] = []
  const tools = [askTool(), ...toolsNoting((each) => done.push(each))]
  const sdkAgent = new Agent({ name: 'Clerk', instructions: 'Do it.', model, tools })
  const driver = openaiAgents(sdkAgent, { runner, ...options })
  const agents = [agent('clerk', { questions: true, ...agentOptions, driver }) as AgentRecord]
  return { model, done, agents }
}

/** What a model was sent in its last call, one line an item. */
export function heard(model: ScriptedModel): string[] {
  const input = model.lastCall?.request.input
  return typeof input === 'string' ? [input] : (input ?? []).map(lineOf)
}

function lineOf(item: AgentInputItem): string {
  if (item.type === 'function_call') return `call ${item.name} ${item.arguments}`
  if (item.type === 'function_call_result') {
    const { output } = item
    return `result ${item.name}: ${typeof output === 'object' && 'text' in output ? output.text : JSON.stringify(output)}`
  }
  if (!('role' in item)) return String(item.type)
  const { role, content } = item
  return `${role}: ${typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : part.type)).join()}`
}
