import { isObject, type Json, type JsonSchema } from './json.ts'

/** The schema that a local reference of a shape means, for fields that are made of it; `true` (any JSON) where it means none. */
export function referredTo(reference: string, root: JsonSchema): Json {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return true
  let at: Json | undefined = root
  for (const step of reference.slice(2).split('/')) {
    const key = unescapeStep(step)
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at ?? true
}

function unescapeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}
