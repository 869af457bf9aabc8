import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Output } from './output.ts'

function outputTo(): { output: Output; printed: () => string } {
  const screen = new PassThrough({ encoding: 'utf8' })
  return { output: new Output(screen), printed: () => (screen.read() as string | null) ?? '' }
}

it('prints live text as it comes, one character behind', () => {
  const { output, printed } = outputTo()
  output.liveText('Which ')
  expect(printed()).toBe('Which')
  output.liveText('size?')
  expect(printed()).toBe(' size')
  expect(output.endLive()).toBe(true)
  expect(printed()).toBe('?\n')
})

it('C33: makes text visible whatever pieces it came in', () => {
  const text = `a\u001B[2K 👩\u200D👩\u200D👧 e\u0301${' '.repeat(50)}b\u202Ec می\u200Cخ\r\nd`
  for (const size of [1, 2, 3, 7, text.length]) {
    const { output, printed } = outputTo()
    for (let at = 0; at < text.length; at += size) output.liveText(text.slice(at, at + size))
    output.endLive()
    expect(printed()).toBe('a‹U+001B›[2K 👩\u200D👩\u200D👧 e\u0301‹50 spaces›b‹U+202E›c می\u200Cخ\nd\n')
  }
})

it('a line after live text begins on a line of its own', () => {
  const { output, printed } = outputTo()
  output.liveText('half')
  output.lines('tool 1.1')
  expect(printed()).toBe('half\ntool 1.1\n')
  expect(output.endLive()).toBe(false)
})

it('holds everything while a prompt is on the screen', () => {
  const { output, printed } = outputTo()
  output.hold()
  output.lines('meanwhile')
  output.liveText('text of the model')
  expect(printed()).toBe('')
  output.release()
  expect(printed()).toBe('meanwhile\ntext of the mode')
})
