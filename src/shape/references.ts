import { isObject, type Json } from '../core/json.ts'
import { childrenOf, type Dialect, placeBelow, type Subschema } from './keywords.ts'

/** What is wrong with the references of a shape: not local, pointing at no schema, recursive, or leading to too much. */
export function problemsOfReferences(subschemas: Subschema[], dialect: Dialect, maxReached: number): string[] {
  const byPlace = placesOf(subschemas)
  const problems: string[] = []
  for (const { place, schema } of subschemas) {
    if (!isObject(schema) || typeof schema.$ref !== 'string') continue
    const problem = problemOf(schema.$ref, byPlace)
    if (problem) problems.push(`At ${place}/$ref: ${JSON.stringify(schema.$ref)} ${problem}`)
  }
  if (problems.length > 0) return problems
  const { recursive, reached } = reach(subschemas, dialect)
  if (recursive) return [`At ${recursive}/$ref: the shape refers to itself. Write the levels out, as deep as you need.`]
  if (reached <= maxReached) return []
  return [`The shape has more than ${maxReached} subschemas once its references are followed. Refer less often.`]
}

/** The subschema that a local reference means; nothing where it means none. */
function targetOf(ref: string, byPlace: Map<string, Subschema>): Subschema | undefined {
  try {
    return byPlace.get(decodeURIComponent(ref))
  } catch {
    return undefined
  }
}

/** Subschemas by what a reference to them says: `#/properties/a`, or `#name` for an anchor. */
function placesOf(subschemas: Subschema[]): Map<string, Subschema> {
  const byPlace = new Map<string, Subschema>()
  for (const each of subschemas) {
    byPlace.set(each.place, each)
    if (isObject(each.schema) && typeof each.schema.$anchor === 'string') byPlace.set(`#${each.schema.$anchor}`, each)
  }
  return byPlace
}

function problemOf(ref: string, byPlace: Map<string, Subschema>): string | undefined {
  if (!ref.startsWith('#'))
    return 'is not a reference inside the shape, and nothing is fetched. Put the schema into $defs and refer to "#/$defs/…".'
  return targetOf(ref, byPlace) ? undefined : 'points at no schema of the shape. Point at one, such as "#/$defs/…".'
}

/** What a check may meet when it follows references, and where a reference leads back to where it stands. */
export interface Reach {
  recursive?: string
  reached: number
}

/**
 * Sums what a check may meet when it follows references, each time anew: 1 for each subschema, or what `weigh` says. A
 * shape of 30 definitions that each refer twice to the next would reach a thousand million: counted, not walked.
 */
export function reach(
  subschemas: Subschema[],
  dialect: Dialect,
  weigh: (schema: { [keyword: string]: Json }) => number = () => 1,
): Reach {
  const byPlace = placesOf(subschemas)
  const sums = new Map<string, number>()
  const entered = new Set<string>()
  const result: Reach = { reached: 0 }
  const sumOf = ({ place, schema }: Subschema): number => {
    const known = sums.get(place)
    if (known !== undefined) return known
    entered.add(place)
    let sum = isObject(schema) ? weigh(schema) : 1
    if (isObject(schema)) {
      for (const child of childrenOf(schema, dialect)) {
        const below = sumOf({ place: placeBelow(place, child), schema: child.schema })
        if (child.keyword !== '$defs' && child.keyword !== 'definitions') sum += below
      }
      const target = typeof schema.$ref === 'string' ? targetOf(schema.$ref, byPlace) : undefined
      if (target && entered.has(target.place) && !sums.has(target.place)) result.recursive ??= place
      else if (target) sum += sumOf(target)
    }
    sums.set(place, sum)
    return sum
  }
  for (const each of subschemas) sumOf(each)
  result.reached = sums.get('#') ?? 0
  return result
}
