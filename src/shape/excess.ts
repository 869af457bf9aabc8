/** Lists and objects inside each other, and bytes of UTF-8 as JSON text. */
export interface SizeLimits {
  nesting: number
  bytes: number
}

/**
 * Which limit a value surely passes. It looks no further than to there, and without recursion: a text of 50 MB, a list of
 * millions, one that holds itself or another many times, one nested 100,000 deep take no longer than what is just allowed.
 * Bytes are counted from below; `bytesOf` is exact.
 */
export function excessOf(value: unknown, limits: SizeLimits): keyof SizeLimits | undefined {
  let room = limits.bytes
  const todo: { value: object; depth: number }[] = []
  const look = (each: unknown, depth: number) => {
    // The fewest bytes that it can be: a character is one at least.
    room -= typeof each === 'string' ? each.length + 2 : 1
    if (typeof each === 'object' && each !== null) todo.push({ value: each, depth })
  }
  look(value, 1)
  for (let next = todo.pop(); next && room >= 0; next = todo.pop()) {
    const { value, depth } = next
    if (depth > limits.nesting) return 'nesting'
    const names = Array.isArray(value) ? undefined : Object.keys(value)
    // An item has two bytes at least, with its comma; a field has five.
    if (names ? names.length * 5 > room + 5 : (value as unknown[]).length * 2 > room + 2) return 'bytes'
    for (const name of names ?? []) room -= name.length + 3
    for (const each of Object.values(value)) look(each, depth + 1)
  }
  return room < 0 ? 'bytes' : undefined
}

/** How large a JSON value is, exactly. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
