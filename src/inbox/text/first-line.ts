import { visible } from '../../protocol/core.ts'

/** Marks of Markdown that begin a line, and those that stand around words. */
const beforeLine = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,9}[.)][ \t]+)*/
const aroundWords = /(\*\*|__|~~|`)(?=\S)([^*_~`\n]{1,300}?)\1/g

/** The first line of a text in which there is something to read, without its Markdown: what a row of a list shows. */
export function firstLine(text: string): string {
  for (const line of text.slice(0, 4_000).split(/\r?\n/)) {
    const bare = line.replace(beforeLine, '').replace(aroundWords, '$2').trim()
    if (/[\p{L}\p{N}\p{S}]/u.test(bare)) return visible(bare, 'line')
  }
  return visible(text.slice(0, 200).trim(), 'line')
}
