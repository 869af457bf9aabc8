/**
 * How deep and how large a JSON value is, without recursion: one nested 100,000 deep must not end the stack. It stops
 * counting where a limit is passed.
 * @returns lists and objects inside each other, and bytes of UTF-8 as JSON text.
 */
export function measure(value: unknown, maxNesting: number, maxBytes: number): { nesting: number; bytes: number } {
  let nesting = 0
  const todo: { value: object; depth: number }[] = []
  const look = (each: unknown, depth: number) => {
    if (typeof each === 'object' && each !== null) todo.push({ value: each, depth })
  }
  look(value, 1)
  for (let next = todo.pop(); next; next = todo.pop()) {
    nesting = Math.max(nesting, next.depth)
    if (nesting > maxNesting) return { nesting, bytes: 0 }
    for (const each of Object.values(next.value)) look(each, next.depth + 1)
  }
  const text = JSON.stringify(value) ?? ''
  // A character is one byte at least: a text longer than the limit need not be encoded to know.
  return { nesting, bytes: text.length > maxBytes ? text.length : Buffer.byteLength(text) }
}
