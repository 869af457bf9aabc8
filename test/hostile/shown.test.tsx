import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOfStream } from 'node:stream/consumers'
import { type Ask, questionText } from 'querent'
import { fakeClock } from 'querent/testing'
import { webhook } from 'querent/webhook'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { AskForm } from '../../src/ask-form/ask-form.tsx'
import { askText } from '../../src/cli/print-ask.ts'
import { visible } from '../../src/core/visible.ts'
import { Markdown } from '../../src/inbox/text/markdown.tsx'
import { Transcript } from '../../src/server/ui-messages/transcript.ts'

/*
 * C33 and its kind, by every way in which an ask is shown. One function decides for all (`visible`); what is posted into
 * chats also calls nobody (`withoutMentions`). What is stored stays as it came.
 */

/** What a model wrote, what is shown of it, and what of that in text for chats where that differs. */
const inputs: [name: string, raw: string, shown: string, inChats?: string][] = [
  ['a direction turned around', 'safe\u202Etxt.exe', 'safe‹U+202E›txt.exe'],
  ['isolates and marks', '\u2066a\u2069\u200Fb\u061Cc', '‹U+2066›a‹U+2069›‹U+200F›b‹U+061C›c'],
  ['zero width', 'pay\u200Bpal\u2060.com', 'pay‹U+200B›pal‹U+2060›.com'],
  ['a terminal escape', 'real\u001B[2Kfake', 'real‹U+001B›[2Kfake'],
  ['a title of the terminal', 'a\u001B]0;x\u0007b', 'a‹U+001B›]0;x‹U+0007›b'],
  ['an escape in one character', 'a\u009B2Jb', 'a‹U+009B›2Jb'],
  ['a carriage return', 'real\rfake', 'real‹U+000D›fake'],
  ['backspaces', 'yes\b\b\bno', 'yes‹U+0008›‹U+0008›‹U+0008›no'],
  ['spaces', `ls${' '.repeat(60)}; rm -rf /`, 'ls‹60 spaces›; rm -rf /'],
  ['spaces of many kinds', `ls${'\u00A0\u3000\u2800'.repeat(20)}; rm`, 'ls‹60 spaces›; rm'],
  ['tags that nobody sees', 'hi\u{E0068}\u{E0069}!', 'hi‹U+E0068›‹U+E0069›!'],
  ['variation selectors', 'a\uFE00\u{E0101}b', 'a‹U+FE00›‹U+E0101›b'],
  ['half a character', 'a\uD800b', 'a‹U+D800›b'],
  ['a byte order mark', 'a\uFEFFb', 'a‹U+FEFF›b'],
  ['marks upon marks', `e${'\u0301'.repeat(30)}!`, `e${'\u0301'.repeat(8)}‹22 more marks›!`],
  ['a letter that shows nothing', 'a\u3164b', 'a‹U+3164›b'],
  ['HTML', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['a link', '[ok](javascript:alert(1))', '[ok](javascript:alert(1))'],
  ['a remote image', '![x](https://tracker.example/x.png)', '![x](https://tracker.example/x.png)'],
  ['a mention of all', 'done @everyone', 'done @everyone', 'done ‹@›everyone'],
  ['a mention in brackets', 'done <!channel> <@U1>', 'done <!channel> <@U1>', 'done ‹<›!channel> ‹<›‹@›U1>'],
  ['an address', 'ann@example.com', 'ann@example.com'],
  ['Arabic', 'ما هو المقاس؟', 'ما هو المقاس؟'],
  ['Hebrew', 'מה הגודל?', 'מה הגודל?'],
  ['Persian and its joiners', 'می\u200Cخواهم', 'می\u200Cخواهم'],
  ['emoji', '👩\u200D👩\u200D👧 👍🏽 🇩🇪 1\uFE0F\u20E3', '👩\u200D👩\u200D👧 👍🏽 🇩🇪 1\uFE0F\u20E3'],
]

const place = {
  id: 'ask_1',
  run: 'run_1',
  agent: 'asker',
  path: ['asker'],
  repeat: 1,
  n: 1,
  since: '2026-01-01T00:00:00.000Z',
}

/** Everywhere in an ask where a model's words may stand. */
const asks: [where: string, ask: (text: string) => Ask][] = [
  [
    'a question',
    (question) => ({ ...place, kind: 'question', tool: 'question', step: 'question 1.1', input: { question } }),
  ],
  [
    'a label',
    (label) => ({
      ...{ ...place, kind: 'question', tool: 'question', step: 'question 1.1' },
      ...{ input: { question: 'Which?', choices: [label] }, options: [{ label, description: `About ${label}` }] },
    }),
  ],
  [
    'a shape',
    (text) => {
      const field = { type: 'string', title: text, description: text }
      const shape = { type: 'object', properties: { [text]: field } }
      return { ...place, kind: 'question', tool: 'question', step: 'question 1.1', input: { question: 'What?', shape } }
    },
  ],
  [
    'the input of a call',
    (command) => ({ ...place, kind: 'approval', tool: 'shell', step: 'tool 1.1', input: { command } }),
  ],
  [
    'the name of a field',
    (name) => ({ ...place, kind: 'approval', tool: 'shell', step: 'tool 1.1', input: { [name]: 'x' } }),
  ],
  ['a stranger’s ask', (text) => ({ ...place, kind: 'rating', tool: 'rate', step: 'tool 1.1', input: { text } })],
]

interface Way {
  isChat?: boolean
  show(ask: Ask): string | Promise<string>
}

const ways: Record<string, Way> = {
  page: {
    show: (ask) =>
      readable(renderToStaticMarkup(<AskForm ask={ask} onAnswer={never} onRefuse={never} renderText={markdown} />)),
  },
  'a page without Markdown': {
    show: (ask) => readable(renderToStaticMarkup(<AskForm ask={ask} onAnswer={never} onRefuse={never} />)),
  },
  terminal: { show: (ask) => askText(ask) },
  'plain text': { isChat: true, show: questionText },
  webhook: { isChat: true, show: posted },
  'the page of useChat': {
    isChat: true,
    show(ask) {
      const { messages } = new Transcript('run_1', [{ type: 'ask.opened', seq: 2, at: place.since, ask }])
      const part = messages.at(-1)?.parts.find((each) => 'toolMetadata' in each)
      return (part as { toolMetadata: { text: string } }).toolMetadata.text
    },
  },
}

const never = () => Promise.reject(new Error('Nothing is sent here.'))
const markdown = (text: string) => <Markdown text={text} />

/** What a person reads of a page: its text, without its elements. */
function readable(html: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#x27': "'" }
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/&([a-z]+|#x27);/g, (whole, name) => entities[name] ?? whole)
}

/** What a receiver of the webhook is given to show. */
async function posted(ask: Ask): Promise<string> {
  const bodies: string[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    bodies.push(await textOfStream(request))
    response.end()
  }
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const hook = webhook({ url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` })
  await hook.notify({ id: 'ask_1_opened', type: 'ask.opened', at: place.since, ask }, {
    signal: new AbortController().signal,
    clock: fakeClock(),
    stop: () => undefined,
  } as never)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const { data } = JSON.parse(bodies[0] ?? '')
  // The ask itself is data, and as it came.
  expect(data.ask).toEqual(ask)
  return data.text
}

/** What must stand in no text that is shown: all that acts or hides, but for parts of ordinary words and emoji. */
const acts =
  /[^\n\P{Cc}]|\p{Cs}| {20}|[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\u2028\u2029\u061C\u3164]|\uFEFF|[\u{E0100}-\u{E01EF}]/u

describe.each(Object.entries(ways))('C33: %s', (_way, { show, isChat }) => {
  test.each(asks)('%s', async (_where, askOf) => {
    for (const [name, raw, shown, inChats = shown] of inputs) {
      const ask = askOf(raw)
      const before = JSON.stringify(ask)
      const text = await show(ask)
      const wanted = isChat ? inChats : shown
      // In JSON, what JSON escapes stands escaped.
      const asJson = visible(JSON.stringify(raw)).slice(1, -1)
      expect(
        [wanted, asJson].some((each) => text.includes(each)),
        `${name}: ${JSON.stringify(text)}`,
      ).toBe(true)
      expect(text.replaceAll('👩\u200D👩\u200D👧', ''), name).not.toMatch(acts)
      if (isChat) expect(text, name).not.toMatch(/(?<!\w)@\w|<[@!#]/)
      expect(JSON.stringify(ask), `${name}: what is stored`).toBe(before)
    }
  })
})

test('HTML, links and images of a model are no elements of the page', () => {
  for (const [, askOf] of asks) {
    for (const raw of [
      '<img src=x onerror=alert(1)>',
      '[ok](javascript:alert(1))',
      '![x](https://tracker.example/x.png)',
    ]) {
      const html = renderToStaticMarkup(
        <AskForm ask={askOf(raw)} onAnswer={never} onRefuse={never} renderText={markdown} />,
      )
      expect(html).not.toMatch(/<img|<a[ >]|<script|href=/)
    }
  }
})
