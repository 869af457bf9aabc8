/**
 * A value as JSON for machines that is also safe on a screen: characters that act or hide are escaped, which JSON allows
 * inside strings, the only place where they can stand. It reads back as the same value.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/[^\n\P{Cc}]|[\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
