import type { Json } from '../core/json.ts'

/**
 * A copy whose objects have no prototype. In it `constructor` or `__proto__` are names like any other: a schema that
 * lists no property `constructor` must not find the one that every plain object inherits.
 */
export function bare<T extends Json>(value: T, dropped?: string): T {
  if (Array.isArray(value)) return value.map((each) => bare(each)) as T
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.create(null) as { [key: string]: Json }
  for (const [key, each] of Object.entries(value)) {
    if (key !== dropped && each !== undefined) copy[key] = bare(each)
  }
  return copy as T
}
