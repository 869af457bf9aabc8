/** Any JSON value. `undefined` is not one: it stands for "nothing was given". */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON Schema as plain data: `true`, `false` or an object. */
export type JsonSchema = boolean | { [keyword: string]: Json }

/** Whether a value is a plain JSON object (not null, not a list). */
export function isObject(value: unknown): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The same text for the same value, whatever order its keys came in. Two calls of a tool are the same call when
 * their canonical inputs are equal, and a key is "used with the same input" when theirs are.
 */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  // What is undefined is left out, as where the value is stored.
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`)
  return `{${fields.join(',')}}`
}
