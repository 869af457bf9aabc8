/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = Math.min(Math.ceil(share * sorted.length), sorted.length) - 1
  return sorted[Math.max(at, 0)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** How far rounds lie apart, as a share of their median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values)
}

/** A number with three digits that count. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(Math.abs(value) >= 10 ? 3 : 2)))
}
