import type { Json } from '../core/json.ts'
import type { Failure, ToolDefinition } from '../core/tool.ts'
import { checkAnswer } from '../shape/check-answer.ts'

/**
 * Checks a tool's input against its JSON Schema, then against the rules of its own schema. Gives what `execute` is to be
 * called with (a Standard Schema may transform it), or why the tool may not run, in words a model can repair it by.
 */
export async function checkInput(
  tool: ToolDefinition,
  input: Json,
): Promise<{ type: 'fits'; value: unknown } | Failure> {
  const issues = await checkAnswer(tool.inputSchema, input)
  const checked = issues.length === 0 && tool.check ? await tool.check(input) : { ok: true as const, value: input }
  if (checked.ok && issues.length === 0) return { type: 'fits', value: checked.value }
  const lines = (checked.ok ? issues : checked.issues).map(
    ({ path, message }) => `- ${path || '(the whole input)'}: ${message}`,
  )
  return {
    type: 'failure',
    message: `Not run: the input does not fit the schema of "${tool.name}".\n${lines.join('\n')}`,
  }
}
