import { describe, expect, it } from 'vitest'
import { visible, withoutMentions } from './visible.ts'

describe('visible', () => {
  it('C33: shows what would hide, turn around, erase or push away the rest', () => {
    expect(visible('safe\u202Etxt.exe')).toBe('safe‹U+202E›txt.exe')
    expect(visible('a\u200Bb')).toBe('a‹U+200B›b')
    expect(visible('real\u001B[2Kfake')).toBe('real‹U+001B›[2Kfake')
    expect(visible('real\rfake')).toBe('real‹U+000D›fake')
    expect(visible(`ls${' '.repeat(2000)}; rm -rf /`)).toBe('ls‹2000 spaces›; rm -rf /')
    expect(visible(`ls${'\n'.repeat(2000)}; rm -rf /`)).toBe('ls\n‹1999 empty lines›\n; rm -rf /')
    expect(visible('ls\n \n\t\n \n \n; rm')).toBe('ls\n‹4 empty lines›\n; rm')
  })

  it.each([
    ['backspace', 'a\bb', 'a‹U+0008›b'],
    ['bell and the end of an operating system command', '\u001B]0;x\u0007', '‹U+001B›]0;x‹U+0007›'],
    ['a control sequence in one character', '\u009B2J', '‹U+009B›2J'],
    ['isolates and marks of direction', '\u2066a\u2069\u200F\u061C', '‹U+2066›a‹U+2069›‹U+200F›‹U+061C›'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a‹U+2028›b‹U+2029›c'],
    ['soft hyphens, word joiners, byte order marks', 'a\u00AD\u2060\uFEFFb', 'a‹U+00AD›‹U+2060›‹U+FEFF›b'],
    ['tags: text that nobody sees and a model reads', 'hi\u{E0068}\u{E0069}', 'hi‹U+E0068›‹U+E0069›'],
    ['tags after a flag that has none', '🏴\u{E0068}\u{E0069}\u{E007F}', '🏴‹U+E0068›‹U+E0069›‹U+E007F›'],
    ['variation selectors: bytes hidden after a letter', 'a\uFE00\u{E0101}', 'a‹U+FE00›‹U+E0101›'],
    ['half a character', 'a\uD800b', 'a‹U+D800›b'],
    ['letters that show nothing', 'a\u3164b', 'a‹U+3164›b'],
    ['joiners outside of a word that needs them', 'pay\u200Dpal\u200C', 'pay‹U+200D›pal‹U+200C›'],
    ['spaces of two kinds in turn', '  \u00A0'.repeat(10), '‹30 spaces›'],
    ['wide and narrow spaces alike', '\u00A0\u3000'.repeat(20), '‹40 spaces›'],
    ['marks upon marks', `e${'\u0301'.repeat(500)}`, `e${'\u0301'.repeat(8)}‹492 more marks›`],
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  it.each([
    'Which size – S, M or L?',
    'מה הגודל?',
    'ما هو المقاس؟',
    'می\u200Cخواهم',
    'क्\u200Dष और ශ්\u200Dරී',
    '👩\u200D👩\u200D👧\u200D👦 ❤\uFE0F 👍🏽 1\uFE0F\u20E3 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🇩🇪',
    'e\u0301 Å ñ ก็ ใจ',
    '葛\u{E0100}城市',
    '    indented\n\n        twice',
    '<img src=x onerror=alert(1)> [ok](javascript:1) @everyone',
  ])('leaves ordinary text as it is: %s', (text) => {
    expect(visible(text)).toBe(text)
  })

  it('keeps line breaks in a block, Windows ones too, and shows them in a line', () => {
    expect(visible('a\r\nb\n\nc')).toBe('a\nb\n\nc')
    expect(visible('a\r\nb\n\nc', 'line')).toBe('a ⏎ b ⏎ c')
  })

  it('takes time in proportion to the text', () => {
    const shown = visible(`${' '.repeat(200_000)}\u200D${'\n '.repeat(200_000)}x${'\u200D👩'.repeat(100_000)}`)
    expect(shown.startsWith('‹200000 spaces›‹U+200D›\n‹199999 empty lines›')).toBe(true)
  })
})

describe('withoutMentions', () => {
  it.each([
    ['@everyone, @here and @channel', '‹@›everyone, ‹@›here and ‹@›channel'],
    ['(@ann) -@ann .@ann', '(‹@›ann) -‹@›ann .‹@›ann'],
    ['x@Everyone', 'x‹@›Everyone'],
    [
      '<!channel> <!subteam^S1> <@U1> <@&2> <@!3> <#C1>',
      '‹<›!channel> ‹<›!subteam^S1> ‹<›‹@›U1> ‹<›@&2> ‹<›@!3> ‹<›#C1>',
    ],
    ['@עברית', '‹@›עברית'],
  ])('shows %s', (text, shown) => {
    expect(withoutMentions(text)).toBe(shown)
  })

  it.each(['ann@example.com', 'a @ b', '@', '<b>', 'a < b', '2 <@ 3', '#1'])('leaves %s as it is', (text) => {
    expect(withoutMentions(text)).toBe(text)
  })

  it('twice changes nothing', () => {
    expect(withoutMentions(withoutMentions('@a <@b>'))).toBe('‹@›a ‹<›‹@›b>')
  })
})
