import { type AgentRecord, isObject, startChild, type ToolDefinition } from 'querent/extension'

/** How `delegate` presents an agent to another one's model. */
export interface DelegateOptions {
  /** The tool's name. Default: the agent's, with `.` as `_`. */
  name?: string
  description?: string
}

/**
 * A tool that gives a task to another agent and answers with its final answer. The child is a run of its own: it parks
 * with its parent, its approvals are asked on the root run, its tokens count there. It asks no questions: it reports
 * what is missing. Give the engine both agents.
 */
export function delegate(agent: AgentRecord, options: DelegateOptions = {}): ToolDefinition {
  return {
    name: options.name ?? agent.name.replaceAll('.', '_'),
    description: options.description ?? `Gives a task to the agent "${agent.name}" and returns its final answer.`,
    inputSchema: {
      type: 'object',
      properties: {
        task: {
          type: 'string',
          minLength: 1,
          description: 'The whole task: the other agent sees nothing of this conversation, and cannot ask back.',
        },
      },
      required: ['task'],
      additionalProperties: false,
    },
    delegatesTo: agent.name,
    // Begun again after a crash it finds the same run. Not `retrySafe`: beside an open question it must not begin.
    retrySafe: false,
    replays: true,
    execute: (input) => startChild(agent.name, isObject(input) ? String(input.task) : ''),
  }
}
