import { expect, it } from 'vitest'
import { rowsOf } from './rows.ts'

it('cuts at spaces, and inside a word that is longer than a row', () => {
  expect(rowsOf('one two three', 8)).toEqual(['one two', 'three'])
  expect(rowsOf('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
  expect(rowsOf('a\n\nb', 10)).toEqual(['a', '', 'b'])
  expect(rowsOf('exact fit', 9)).toEqual(['exact fit'])
})

it('C45: counts wide characters as two, and never cuts one apart', () => {
  expect(rowsOf('漢字漢字漢', 4)).toEqual(['漢字', '漢字', '漢'])
  expect(rowsOf('👩\u200D👩\u200D👧👍🏽e\u0301', 4)).toEqual(['👩\u200D👩\u200D👧👍🏽', 'e\u0301'])
})

it('loses nothing but the spaces it breaks at', () => {
  const text = 'A question of several words, 漢字 among them, and averyveryverylongwordthatdoesnotfit.'
  for (let columns = 2; columns < 100; columns++) {
    expect(rowsOf(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
  }
})
