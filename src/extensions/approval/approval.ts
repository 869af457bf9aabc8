import {
  type Approval,
  type AskKind,
  type CallContext,
  type Extension,
  endResult,
  type Failure,
  failure,
  isObject,
  type Json,
  type Park,
  type PreparedCall,
  park,
} from 'querent/extension'
import { describe, editedInputSchema, refusedBefore } from './spec.ts'

const kind: AskKind = {
  kind: 'approval',
  showsCall: true,
  describe,
  resolve(ask, texts) {
    if (ask.end.outcome === 'approved') return 'run the call'
    // No default answer stands for a person's leave to act.
    return endResult(ask, texts, { defaultAnswer: false })
  },
  editedInput: ({ end }) => (isObject(end.data) ? (end.data.input as Json) : undefined),
}

/** Asks a person before a tool with `approval` runs. Decided once per call; a refused call is not asked again. */
export const approval: Extension = {
  name: 'approval',
  kinds: [kind],
  async beforeTool(call, context) {
    const rule = call.tool.approval
    if (rule === undefined || rule === false) return 'go'
    const needed = context.decided ?? (await isNeeded(rule, call, context))
    return needed ? askFor(call, context, typeof rule === 'object' && rule.editable === true) : 'go'
  },
}

async function isNeeded(rule: Approval<never>, { input }: PreparedCall, { run }: CallContext): Promise<boolean> {
  const when = typeof rule === 'object' ? rule.when : rule
  if (typeof when !== 'function') return when !== false
  const person = run.starter.type === 'person' ? { person: { id: run.starter.id } } : {}
  // Only a clear "no" lets it run unasked.
  return (await when(input as never, { run: run.run, ...person })) !== false
}

function askFor({ tool, input }: PreparedCall, { agent, refused }: CallContext, editable: boolean): Park | Failure {
  const before = refusedBefore(tool.name, input, refused)
  if (before !== undefined) return failure(before)
  const { onExpire } = agent
  return park({
    kind: 'approval',
    tool: tool.name,
    input,
    ...(editable ? { answerSchema: editedInputSchema(tool.inputSchema) } : {}),
    rule: {
      onExpire: typeof onExpire === 'object' ? 'refuse' : onExpire,
      guarded: agent.guards.in.length > 0,
      ...(editable ? { editable } : {}),
    },
  })
}
