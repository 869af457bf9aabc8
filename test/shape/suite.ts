import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Json, JsonSchema } from '../../src/core/json.ts'

/** A schema of the official suite, and values that fit it or do not. */
export interface Group {
  file: string
  description: string
  schema: JsonSchema
  tests: { description: string; data: Json; valid: boolean }[]
}

export const drafts = ['draft2020-12', 'draft7'] as const
export type Draft = (typeof drafts)[number]

const home = join(import.meta.dirname, '../vendor/json-schema-test-suite')

/** The groups of a draft: the required ones, or those of a folder of optional ones. */
export function groupsOf(draft: Draft, folder = ''): Group[] {
  const inside = join(home, draft, folder)
  const files = readdirSync(inside).filter((name) => name.endsWith('.json'))
  return files.flatMap((name) =>
    (JSON.parse(readFileSync(join(inside, name), 'utf8')) as Group[]).map((group) => ({
      ...group,
      file: basename(name, '.json'),
      schema: saying(draft, group.schema),
    })),
  )
}

/** The suite says by its folders which dialect a schema is in; we are told by the schema itself. */
function saying(draft: Draft, schema: JsonSchema): JsonSchema {
  if (draft !== 'draft7' || typeof schema !== 'object' || schema.$schema !== undefined) return schema
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}

const reasons: [RegExp, string][] = [
  [/^At #\/\$schema/, 'another dialect'],
  [/is not a reference inside the shape/, 'remote reference'],
  [/the shape refers to itself/, 'recursive'],
  [/\$dynamic(Ref|Anchor)" cannot be used/, 'dynamic reference'],
  [/"\$id" may stand on the outermost schema only/, '$id inside'],
  [/more than 1 unevaluated/, 'unevaluated… more than once'],
  [/The shape is false/, 'nothing fits'],
  [/\[\] does not fit. Write a list with at least one value/, 'nothing fits'],
  [/write the short name of a general category/, 'pattern RE2 reads otherwise'],
]

/** Why a shape of the suite cannot be asked for, in short; the message itself where we have no name for it. */
export function reasonOf(message: string): string {
  return reasons.find(([pattern]) => pattern.test(message))?.[1] ?? message
}

/** The suite wants formats to be remarks; the design wants them checked. */
export const isRemarkOnly = (description: string): boolean => /is only an annotation by default$/.test(description)
