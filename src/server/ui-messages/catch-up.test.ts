import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ask, AskEnd } from '../../protocol/core.ts'
import { catchUp } from './catch-up.ts'
import type { Line } from './lines.ts'
import type { PostedMessage } from './posted.ts'
import { Transcript } from './transcript.ts'
import type { UiChunk } from './ui-message.ts'

const at = '2026-01-01T00:00:00.000Z'

/** What a page shows after chunks, with the AI SDK's own reader. */
async function pageAfter(chunks: UiChunk[], message?: UIMessage): Promise<UIMessage> {
  const sent = structuredClone(chunks) as UIMessageChunk[]
  let shown = structuredClone(message) ?? ({ id: '', role: 'assistant', parts: [] } as UIMessage)
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of sent) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const each of readUIMessageStream({ stream, message: structuredClone(shown), terminateOnError: true })) {
    shown = each
  }
  return shown
}

/** As it is posted. */
const posted = (message: UIMessage): PostedMessage => JSON.parse(JSON.stringify(message))

const partsOf = (message: { parts: unknown }) => JSON.parse(JSON.stringify(message.parts))

const outcomes = fc.constantFrom('approved', 'refused', 'expired', 'withdrawn', undefined)

/** Of a turn: a text or none, and calls that end in some way or not yet. */
const turn = fc.record({
  text: fc.constantFrom('', 'Whole.'),
  calls: fc.array(fc.record({ kind: fc.constantFrom('tool', 'question', 'approval', 'below'), outcome: outcomes }), {
    maxLength: 4,
  }),
  isReversed: fc.boolean(),
})

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

function linesOf(turns: Turn[]): Line[] {
  const lines: Line[] = []
  const add = (line: object) => lines.push({ seq: lines.length + 1, at, ...line } as Line)
  add({ type: 'message', role: 'user', text: 'go' })
  for (const [index, { text, calls, isReversed }] of turns.entries()) {
    if (text !== '') add({ type: 'message', role: 'assistant', text })
    const asked = calls.map(({ kind, outcome }, m) => ({ kind, outcome, call: `${index + 1}.${m + 1}` }))
    for (const { kind, call } of asked) {
      if (kind === 'tool' || kind === 'below')
        add({ type: 'tool', step: `tool ${call}`, tool: 'look', state: 'started' })
      if (kind !== 'tool') add({ type: 'ask.opened', ask: askAt(kind, call) })
    }
    for (const { kind, outcome, call } of isReversed ? asked.reverse() : asked) {
      // In the last turn some may be open yet.
      const isOpen = outcome === undefined && index === turns.length - 1
      if (isOpen) continue
      if (kind !== 'tool') add({ type: 'ask.settled', ask: askAt(kind, call), end: endOf(outcome ?? 'approved') })
      if (kind === 'question' || (kind === 'approval' && outcome !== 'approved')) continue
      if (kind === 'approval') add({ type: 'tool', step: `tool ${call}`, tool: 'look', state: 'started' })
      add({ type: 'tool', step: `tool ${call}`, tool: 'look', state: 'returned' })
    }
  }
  return lines
}

function askAt(kind: string, call: string): Ask {
  const step = kind === 'question' ? `question ${call}` : kind === 'below' ? `tool ${call}/tool 1.1` : `tool ${call}`
  const asked = { id: `ask_${call}`, kind: kind === 'question' ? kind : 'approval', step, tool: 'pay', input: { call } }
  return { ...asked, run: 'r', agent: 'a', path: ['a'], repeat: 1, n: 1, since: at } as Ask
}

function endOf(outcome: AskEnd['outcome']): AskEnd {
  return { outcome, by: 'you', at, ...(outcome === 'approved' ? { data: 'yes' } : { reason: 'because' }) }
}

/** What a page may do to what is open, before it posts. */
function answered(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) => {
    if (!('toolCallId' in part) || ('providerExecuted' in part && part.providerExecuted)) return part
    return part.state === 'input-available' ? { ...part, state: 'output-available', output: 'on the page' } : part
  })
  return { ...message, parts } as UIMessage
}

describe('a reply', () => {
  test('is on a page what it is in the history, line by line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
        const transcript = new Transcript('r')
        const chunks = linesOf(turns).flatMap((line) => transcript.apply(line))
        expect(partsOf(await pageAfter(chunks))).toEqual(partsOf(transcript.reply()))
      }),
    )
  })

  test('is whole after a page that left anywhere, and answered what it liked, has caught up', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        async (turns, left, came, answers) => {
          const lines = linesOf(turns)
          const [first, second] = [left % (lines.length + 1), came % (lines.length + 1)].sort((a, b) => a - b)
          const transcript = new Transcript('r')
          const chunks = lines.slice(0, first).flatMap((line) => transcript.apply(line))
          const page = await pageAfter(chunks)
          const post = answers ? answered(page) : page
          for (const line of lines.slice(first, second)) transcript.apply(line)
          const rest = [
            ...catchUp(transcript.reply().parts, posted(post).parts),
            ...lines.slice(second).flatMap((line) => transcript.apply(line)),
          ]
          const after = await pageAfter(rest, post)
          expect(partsOf(after)).toEqual(partsOf(transcript.reply()))
        },
      ),
    )
  })
})

describe('a page that shows what is not so', () => {
  const lines = linesOf([{ text: 'Whole.', calls: [{ kind: 'question', outcome: undefined }], isReversed: false }])
  const reply = () => new Transcript('r', lines).reply()

  test.each<[string, UIMessage['parts']]>([
    ['half a text', [{ type: 'step-start' }, { type: 'text', text: 'Wh', state: 'streaming' }]],
    ['a text of another', [{ type: 'step-start' }, { type: 'text', text: 'Other.', state: 'done' }]],
    ['nothing', []],
    ['a step with nothing in it', [{ type: 'step-start' }]],
  ])('%s shows what is so', async (_, parts) => {
    const page: UIMessage = { id: 'r.1.reply', role: 'assistant', parts }
    const after = await pageAfter(catchUp(reply().parts, posted(page).parts), page)
    expect(partsOf(after)).toEqual(partsOf(reply()))
  })

  test('a step that never was loses what is in it', async () => {
    const parts: UIMessage['parts'] = [...partsOf(reply()), { type: 'step-start' }, { type: 'text', text: 'Vo' }]
    const page: UIMessage = { id: 'r.1.reply', role: 'assistant', parts }
    const after = await pageAfter(catchUp(reply().parts, posted(page).parts), page)
    expect(partsOf(after)).toEqual([...partsOf(reply()), { type: 'step-start' }])
  })
})
