import { isObject, type Json } from 'querent/extension'

/**
 * What one JSON value has that another had not. The state of the SDK holds the whole history: stored whole at every turn,
 * a log would grow with the square of its turns. `v`: another value. `o`: an object with these changed or new keys.
 * `a`: a list with these items changed, and `t` behind them.
 */
export type Delta = { v: Json } | { o: { [key: string]: Delta } } | { a: { [index: string]: Delta }; t: Json[] }

/** What makes `after` of `before`, to the order of its keys: prompts are made of it, byte for byte. */
export function deltaOf(before: Json, after: Json): Delta {
  return difference(before, after) ?? { o: {} }
}

/** Makes `after` again. */
export function patched(before: Json, delta: Delta): Json {
  if ('v' in delta) return delta.v
  if ('a' in delta) {
    const items = before as Json[]
    return [...items.map((item, index) => patchedAt(item, delta.a[index])), ...delta.t]
  }
  if (!isObject(before)) return before
  const added = Object.keys(delta.o).filter((key) => !Object.hasOwn(before, key))
  return Object.fromEntries(
    [...Object.keys(before), ...added].map((key) => [key, patchedAt(before[key] ?? null, ownAt(delta.o, key))]),
  )
}

function patchedAt(before: Json, delta: Delta | undefined): Json {
  return delta ? patched(before, delta) : before
}

function difference(before: Json, after: Json): Delta | undefined {
  if (Array.isArray(before) && Array.isArray(after) && after.length >= before.length) {
    const changed = changes(before.map((item, index) => [String(index), item, after[index] as Json]))
    const tail = after.slice(before.length)
    return changed.length + tail.length > 0 ? { a: Object.fromEntries(changed), t: tail } : undefined
  }
  if (isObject(before) && isObject(after) && isBegun(Object.keys(before), Object.keys(after))) {
    const keys = Object.keys(after)
    const added = keys.slice(Object.keys(before).length)
    const changed = changes(Object.keys(before).map((key) => [key, before[key] as Json, after[key] as Json]))
    const all = [...changed, ...added.map((key): [string, Delta] => [key, { v: after[key] as Json }])]
    return all.length > 0 ? { o: Object.fromEntries(all) } : undefined
  }
  return before === after ? undefined : { v: after }
}

function changes(pairs: [at: string, before: Json, after: Json][]): [string, Delta][] {
  return pairs.flatMap(([at, before, after]) => {
    const changed = difference(before, after)
    return changed ? [[at, changed] as [string, Delta]] : []
  })
}

/** Whether keys were added at the end, and nothing else was done to them. */
function isBegun(before: string[], after: string[]): boolean {
  return before.length <= after.length && before.every((key, index) => key === after[index])
}

/** A key may be called as something that every object has. */
function ownAt(deltas: { [key: string]: Delta }, key: string): Delta | undefined {
  return Object.hasOwn(deltas, key) ? deltas[key] : undefined
}
