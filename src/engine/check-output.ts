import type { AgentFacts } from '../core/agent-facts.ts'
import type { Json } from '../core/json.ts'
import type { Texts } from '../core/texts.ts'
import { checkAnswer } from '../shape/check-answer.ts'

/** The final answer as a value, or why it does not fit. */
export type ReadOutput = { ok: true; output: Json | undefined } | { ok: false; problems: string }

/** Reads the final text of an agent with an `output` schema. Without a schema there is nothing to read. */
export async function readOutput({ output }: AgentFacts, text: string): Promise<ReadOutput> {
  if (!output) return { ok: true, output: undefined }
  const value = parse(text)
  if (value === undefined) return { ok: false, problems: 'it is not JSON' }
  const issues = await checkAnswer(output.json, value)
  const checked = issues.length === 0 && output.check ? await output.check(value) : undefined
  const all = checked && !checked.ok ? checked.issues : issues
  if (all.length > 0)
    return { ok: false, problems: all.map(({ path, message }) => `${path} ${message}`.trim()).join('; ') }
  const fit = checked?.ok ? checked.value : value
  // What a schema's own transform made is stored as JSON, like everything else.
  return { ok: true, output: JSON.parse(JSON.stringify(fit ?? null)) as Json }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(unfenced(text)) as Json
  } catch {
    return undefined
  }
}

/** Models that cannot be held to a schema put JSON into a code block. */
function unfenced(text: string): string {
  const trimmed = text.trim()
  const fenced = trimmed.length >= 6 && trimmed.startsWith('```') && trimmed.endsWith('```')
  return fenced ? trimmed.slice(3, -3).replace(/^json\b/i, '') : trimmed
}

/**
 * What the model is told of its task: the agent's instructions, and the schema of its final answer where there is one.
 * Not every model can be held to a schema, and one that is not told it could only guess.
 */
export function instructionsOf({ instructions, output }: AgentFacts, texts: Texts): string {
  if (!output) return instructions
  const told = texts.outputSchema(JSON.stringify(output.json))
  return instructions === '' ? told : `${instructions}\n\n${told}`
}
