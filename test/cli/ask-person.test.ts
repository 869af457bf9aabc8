import { describe, expect, it, onTestFinished } from 'vitest'
import { Output } from '../../src/cli/output.ts'
import { askPerson, type Reply } from '../../src/cli/terminal/ask-person.ts'
import { Left, Prompter } from '../../src/cli/terminal/prompter.ts'
import type { Ask } from '../../src/core/ask.ts'
import type { Json } from '../../src/core/json.ts'
import { FakeTerminal, key } from './terminal.ts'

function askOf(input: { [key: string]: Json }, kind = 'question'): Ask {
  const choices = (input.choices ?? []) as (string | { label: string; description?: string })[]
  return {
    id: 'ask_1',
    kind,
    run: 'run_1',
    agent: 'asker',
    path: ['asker'],
    repeat: 1,
    step: kind === 'question' ? 'question 1.1' : 'tool 1.1',
    n: 1,
    tool: kind === 'question' ? 'question' : 'send_mail',
    input,
    ...(choices.length > 0
      ? { options: choices.map((each) => (typeof each === 'string' ? { label: each } : each)) }
      : {}),
    since: '2026-01-01T00:00:00.000Z',
  }
}

/** Asks on a terminal; the reply comes when the keys have been typed. */
function asking(ask: Ask, options: { terminal?: FakeTerminal; before?: Json; signal?: AbortSignal } = {}) {
  const { terminal = new FakeTerminal(), before, signal = new AbortController().signal } = options
  let interrupts = 0
  const output = new Output(terminal.io.stdout)
  const prompter = new Prompter(terminal.io, output, () => {
    interrupts++
  })
  prompter.open()
  onTestFinished(() => prompter.close())
  return {
    terminal,
    output,
    prompter,
    reply: askPerson(ask, prompter, { before, signal }),
    interrupts: () => interrupts,
  }
}

const choices = { question: 'Which size?', choices: ['S', { label: 'M', description: 'chest 96 cm' }, 'L'] }

describe('a choice', () => {
  it('is made with the arrow keys; descriptions stand beside the labels', async () => {
    const { terminal, reply } = asking(askOf(choices))
    expect(await terminal.answer(/confirm/, key.down + key.enter)).toContain('M – chest 96 cm')
    expect(await reply).toEqual({ type: 'approve', data: 'M' })
  })

  it('may be something else, where that is welcome', async () => {
    const { terminal, reply } = asking(askOf({ ...choices, other: true }))
    await terminal.answer(/confirm/, key.down.repeat(3) + key.enter)
    await terminal.answer(/Your own answer/, `XS${key.enter}`)
    expect(await reply).toEqual({ type: 'approve', data: { selected: [], other: 'XS' } })
  })

  it('may be refused with a reason, or left open', async () => {
    const refused = asking(askOf(choices))
    await refused.terminal.answer(/confirm/, key.down.repeat(3) + key.enter)
    await refused.terminal.answer(/Why\?/, `too early${key.enter}`)
    expect(await refused.reply).toEqual({ type: 'refuse', reason: 'too early' })
    const left = asking(askOf(choices))
    await left.terminal.answer(/confirm/, key.down.repeat(4) + key.enter)
    expect(await left.reply).toEqual(new Left('entry'))
  })

  it('may be several, in the order of the list; at least one', async () => {
    const { terminal, reply } = asking(askOf({ ...choices, multi: true }))
    await terminal.answer(/confirm/, key.enter)
    await terminal.answer(/at least one/, key.down.repeat(2) + key.space + key.down + key.space + key.enter)
    expect(await reply).toEqual({ type: 'approve', data: ['S', 'L'] })
  })

  it('C24: a label is a value, whatever word it is', async () => {
    const { terminal, reply } = asking(askOf({ question: 'Which?', choices: ['Leave it open', 'refuse'] }))
    await terminal.answer(/confirm/, key.enter)
    expect(await reply).toEqual({ type: 'approve', data: 'Leave it open' })
  })
})

describe('a text', () => {
  it('C40: is refused at the field where it is blank', async () => {
    const { terminal, reply } = asking(askOf({ question: 'Name?' }))
    await terminal.answer(/Your answer/, key.enter)
    await terminal.answer(/An answer is needed here/, `Ann${key.enter}`)
    expect(await reply).toEqual({ type: 'approve', data: 'Ann' })
  })

  it.each([
    ['marked by the terminal', ['\u001B[200~one\r\n\ttwo\rthree\n\u001B[201~', key.enter]],
    ['marked, in pieces', ['\u001B[20', '0~one\n\ttw', 'o\nthree\u001B[20', '1~', key.enter]],
    ['not marked', ['one\r\ttwo\rthree\r']],
  ])('C45: a paste of three lines is one answer: %s', async (_, pieces) => {
    const { terminal, reply } = asking(askOf({ question: 'Name?' }))
    await terminal.until(/Your answer/)
    for (const piece of pieces) terminal.type(piece)
    expect(await reply).toEqual({ type: 'approve', data: 'one\n\ttwo\nthree' })
  })

  it('a paste cannot act: no control character of it is a key', async () => {
    const { terminal, reply } = asking(askOf({ question: 'Name?' }))
    await terminal.answer(/Your answer/, '\u001B[200~a\u0003b\u0004\u001Bc\u001B[201~')
    await terminal.answer(/abc/, key.enter)
    expect(await reply).toEqual({ type: 'approve', data: 'abc' })
  })

  it('what did not fit is there to be mended', async () => {
    const { terminal, reply } = asking(askOf({ question: 'Name?' }), { before: 'Anm' })
    await terminal.answer(/Anm/, `\u007Fn${key.enter}`)
    expect(await reply).toEqual({ type: 'approve', data: 'Ann' })
  })
})

describe('a shape', () => {
  const shape = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name' },
      age: { type: 'integer', title: 'Age' },
      adult: { type: 'boolean', title: 'Adult', default: true },
      note: { type: 'string', title: 'Note' },
      more: { type: 'object', title: 'More' },
    },
    required: ['name', 'age', 'adult'],
  }

  it('C21: is filled in field by field, typed; what does not convert is an error at the field', async () => {
    const { terminal, reply } = asking(askOf({ question: 'Who?', shape }))
    await terminal.answer(/Name/, key.enter)
    await terminal.answer(/needed/, `Ann${key.enter}`)
    await terminal.answer(/Age/, `three${key.enter}`)
    await terminal.answer(/Type a number/, `${'\u007F'.repeat(5)}3${key.enter}`)
    await terminal.answer(/Adult[\s\S]*confirm/, key.enter)
    await terminal.answer(/Note \(optional\)/, key.enter)
    await terminal.answer(/More \(optional\) – as JSON/, `{"a":[1]}${key.enter}`)
    expect(await reply).toEqual({ type: 'approve', data: { name: 'Ann', age: 3, adult: true, more: { a: [1] } } })
  })

  it('shows the answer that did not fit, and keeps what is left as it is', async () => {
    const { terminal, reply } = asking(askOf({ question: 'Who?', shape }), {
      before: { name: 'Ann', age: -5, adult: false, more: { a: [1] } },
    })
    await terminal.answer(/Name[\s\S]*Ann/, key.enter)
    await terminal.answer(/Age[\s\S]*-5/, `\u007F\u007F5${key.enter}`)
    await terminal.answer(/Adult[\s\S]*confirm/, key.enter)
    await terminal.answer(/Note/, key.enter)
    await terminal.answer(/More/, key.enter)
    expect(await reply).toEqual({ type: 'approve', data: { name: 'Ann', age: 5, adult: false, more: { a: [1] } } })
  })

  it('C20: a shape that is no form is one field', async () => {
    const { terminal, reply } = asking(askOf({ question: 'What?', shape: { type: ['string', 'null'] } }))
    await terminal.answer(/as JSON/, `null${key.enter}`)
    expect(await reply).toEqual({ type: 'approve', data: null })
  })

  it('`__proto__` is a name like any other', async () => {
    const properties = JSON.parse('{"__proto__": {"type": "integer"}}')
    const { terminal, reply } = asking(askOf({ question: 'What?', shape: { type: 'object', properties } }))
    await terminal.answer(/__proto__/, `3${key.enter}`)
    expect(Object.entries(((await reply) as Reply & { data: object }).data)).toEqual([['__proto__', 3]])
  })
})

describe('an approval', () => {
  const call = askOf({ to: 'ann@example.org', body: 'line\nline' }, 'approval')

  it('C45: has nothing chosen at first; Enter alone decides nothing', async () => {
    const { terminal, reply } = asking(call)
    const shown = await terminal.answer(/confirm/, key.enter)
    expect(shown).toContain('send_mail wants to run with\n{\n  "to": "ann@example.org",\n  "body": "line\\nline"\n}')
    await terminal.answer(/confirm/, key.enter)
    await terminal.answer(/confirm/, key.down + key.enter)
    expect(await reply).toEqual({ type: 'approve' })
  })

  it('is refused, with a reason if there is one', async () => {
    const { terminal, reply } = asking(call)
    await terminal.answer(/confirm/, key.down.repeat(2) + key.enter)
    await terminal.answer(/Why\?/, key.enter)
    expect(await reply).toEqual({ type: 'refuse' })
  })
})

describe('leaving', () => {
  it.each([
    ['Esc', key.escape, 'escape'],
    ['Ctrl-C', key.ctrlC, 'ctrl-c'],
    ['Ctrl-D', key.ctrlD, 'ctrl-d'],
  ] as const)('C45: %s leaves the ask open, from every prompt', async (_, pressed, by) => {
    for (const ask of [
      askOf(choices),
      askOf({ ...choices, multi: true }),
      askOf({ question: 'Name?' }),
      askOf({}, 'approval'),
    ]) {
      const { terminal, reply } = asking(ask)
      await terminal.answer(/Choose|Your answer|May it run/, pressed)
      expect(await reply).toEqual(new Left(by))
    }
  })

  it('an ask that was settled elsewhere takes its prompt away', async () => {
    const settled = new AbortController()
    const { terminal, reply } = asking(askOf(choices), { signal: settled.signal })
    await terminal.until(/confirm/)
    settled.abort()
    expect(await reply).toEqual(new Left('settled'))
  })
})

describe('C45: keys that were typed before a prompt was shown', () => {
  it('are dropped', async () => {
    const terminal = new FakeTerminal()
    terminal.type('\r\r')
    const { reply } = asking(askOf(choices), { terminal })
    terminal.type('\r\u001B[B\r')
    await terminal.answer(/confirm/, key.down.repeat(2) + key.enter)
    expect(await reply).toEqual({ type: 'approve', data: 'L' })
  })

  it('are dropped between two prompts too, those that came with the last key included', async () => {
    const { terminal, reply } = asking(askOf({ ...choices, other: true }))
    await terminal.answer(/confirm/, `${key.down.repeat(3)}${key.enter}typed too early${key.enter}`)
    await terminal.answer(/Your own answer/, `XS${key.enter}`)
    expect(await reply).toEqual({ type: 'approve', data: { selected: [], other: 'XS' } })
  })

  it('but for Ctrl-C, which interrupts', async () => {
    const { terminal, reply, interrupts } = asking(askOf(choices))
    await terminal.answer(/confirm/, key.enter)
    await reply
    terminal.type(`x${key.ctrlC}`)
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect(interrupts()).toBe(1)
  })
})

describe('C45: a question of 60 lines and 12 choices of 200 characters', () => {
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1} of 漢字`)
  const labels = Array.from({ length: 12 }, (_, at) => `${at + 1}) ${'label 漢字 '.repeat(20)}`.slice(0, 200))

  it.each([
    [24, 80],
    [24, 40],
  ])('is all reachable on %i × %i, no page taller than the screen', async (rows, columns) => {
    const { terminal, reply } = asking(askOf({ question: lines.join('\n'), choices: labels }), {
      terminal: new FakeTerminal({ rows, columns }),
    })
    let read = ''
    for (let page = ''; !page.includes('Answer'); ) {
      page = await terminal.answer(/Read from the start[\s\S]*confirm[\s\S]*└/, key.enter)
      expect(page.split('\n').length).toBeLessThanOrEqual(rows + 4)
      read += page
    }
    for (const line of lines) expect(read).toContain(line)
    // Refuse and leave stand below the twelve; Enter on the last leaves.
    for (let at = 0; at <= labels.length + 1; at++) {
      const last = at === labels.length + 1
      read += await terminal.answer(last ? /● Leave it open[\s\S]*confirm/ : /confirm/, last ? key.enter : key.down)
    }
    expect(await reply).toEqual(new Left('entry'))
    for (const label of labels)
      expect(read.replaceAll(/[^\p{L}\d)]/gu, '')).toContain(label.replaceAll(/[^\p{L}\d)]/gu, ''))
  })

  it('may be read again from the start, and left', async () => {
    const { terminal, reply } = asking(askOf({ question: lines.join('\n') }))
    await terminal.answer(/Lines 1 to[\s\S]*confirm/, key.enter)
    await terminal.answer(/Lines 17 to[\s\S]*confirm/, key.down + key.enter)
    await terminal.answer(/Lines 1 to[\s\S]*confirm/, key.down.repeat(2) + key.enter)
    expect(await reply).toEqual(new Left('entry'))
  })
})

it('what happens meanwhile is printed when the prompt is gone', async () => {
  const { terminal, output, reply } = asking(askOf(choices))
  await terminal.until(/confirm/)
  output.lines('tool 1.2  done')
  terminal.type(key.enter)
  await reply
  expect(await terminal.until(/done/)).toMatch(/S\n+tool 1\.2 {2}done\n$/)
})

it('leaves the terminal as it was', () => {
  const { terminal, prompter } = asking(askOf(choices))
  prompter.close()
  prompter.close()
  expect(terminal.rawModes).toEqual([true, false])
})
