import { isObject, type Json, type JsonSchema, referredTo } from '../protocol/core.ts'

type JsonObject = { [keyword: string]: Json }

/** More hops than any shape that may be asked; a stranger's that goes in circles ends here. */
const maxHops = 16

/** What people read of a property stays its own where the rest stands elsewhere. */
const ownWords = ['title', 'description', 'default']

/**
 * A schema with its local reference followed, and an `allOf` of one (as some generators write a reference) unwrapped.
 * `{}` where that leads nowhere: any JSON.
 */
export function follow(schema: Json, root: JsonSchema): JsonObject {
  let found: Json = schema
  let words: JsonObject = {}
  for (let hop = 0; hop < maxHops && isObject(found); hop++) {
    const next = nextOf(found, root)
    if (next === undefined) return { ...found, ...words }
    const here = found
    words = {
      ...Object.fromEntries(ownWords.flatMap((word) => (word in here ? [[word, here[word] as Json]] : []))),
      ...words,
    }
    found = next
  }
  return words
}

function nextOf(schema: JsonObject, root: JsonSchema): Json | undefined {
  if (typeof schema.$ref === 'string') return referredTo(schema.$ref, root)
  const { allOf } = schema
  if (!Array.isArray(allOf) || allOf.length !== 1 || 'properties' in schema || 'type' in schema) return undefined
  return allOf[0]
}
