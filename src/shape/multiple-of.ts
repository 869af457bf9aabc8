/**
 * Whether a number is a multiple of another, both as they are written in decimals: 0.3 is one of 0.1, and 1e300 is none of
 * 3, though their binary fractions say otherwise.
 */
export function isMultipleOf(value: number, of: number): boolean {
  // Exact for whole numbers that are safe, and nearly all are.
  if (Number.isSafeInteger(value) && Number.isSafeInteger(of)) return value % of === 0
  const [a, b] = [decimalOf(value), decimalOf(of)]
  const exponent = Math.min(a.exponent, b.exponent)
  return (a.digits * 10n ** BigInt(a.exponent - exponent)) % (b.digits * 10n ** BigInt(b.exponent - exponent)) === 0n
}

/** The shortest decimal that is this number, as whole digits times a power of ten. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}
