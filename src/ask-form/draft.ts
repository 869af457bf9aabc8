import { isObject } from '../protocol/core.ts'

/** What a person has written and not sent. It is kept as JSON, and may come back from any earlier version. */
export interface Draft {
  /** What was typed into the fields; `undefined`: they stand as they came. */
  typed?: unknown
  /** The answer as JSON text, where the person writes it so. */
  json?: string | undefined
  /** Why it is to be refused; `undefined`: nobody is about to. */
  reason?: string | undefined
}

/** Something that was kept, as a draft. What it says of fields is looked at where the fields are. */
export function draftOf(kept: unknown): Draft {
  if (!isObject(kept)) return {}
  const { typed, json, reason } = kept
  return {
    typed,
    json: typeof json === 'string' ? json : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
  }
}
