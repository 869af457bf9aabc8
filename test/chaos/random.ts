/** Numbers from a seed: the same seed, the same plan. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number
  of<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
}

export function randomOf(seed: number): Random {
  let state = seed | 0
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    of(items) {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error('There is nothing to choose from.')
      return item
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  }
}
