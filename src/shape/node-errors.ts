import type { JsonError, JsonSchemaValidatorParams, SchemaNode } from 'json-schema-library'
import { escapeStep } from './keywords.ts'

/* What every rule of `keyword-rules.ts` is made of. */

export type Params = JsonSchemaValidatorParams
export type Errors = (JsonError | undefined)[]

/** The library leaves `/` and `~` in names as they are: `/a/b` would be two places. */
export const below = (pointer: string, name: string) => `${pointer}/${escapeStep(name)}`

/** Runs the validators of a node: what the library's own keywords do with a subschema. */
export function errorsOf(node: SchemaNode, data: unknown, pointer: string, path: Params['path']): JsonError[] {
  return node.validate(data, pointer, path).errors
}
