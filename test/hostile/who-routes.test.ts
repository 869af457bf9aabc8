import { StatementSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { pathOf, paths } from '../../src/protocol/wire.ts'
import { type OperationName, operations } from '../../src/server/operations.ts'
import { type Anns, type CallerName, callers, type Scene, scene, secretWord } from './who-scene.ts'

/*
 * Every route, and what comes of it for each who may call: tested over real HTTP. A route that is added has no row here,
 * and then neither the types nor the first test hold.
 */

interface Row {
  /** What is sent about something of Ann's: she may do it. */
  request(anns: Anns): { values?: Record<string, string>; body?: unknown }
  /** Status, and code of the problem where it is one. */
  gives: Record<CallerName, string>
}

/** What stands in the body of a post of `useChat` that answers a question. */
const answered = ({ chat, chatAsk }: Anns) => ({
  id: chat,
  trigger: 'submit-message',
  messages: [
    {
      id: 'm',
      role: 'assistant',
      parts: [{ type: 'tool-question', toolCallId: chatAsk.id, state: 'output-available', output: 'M' }],
    },
  ],
})

/** Of one run, and so for its starter alone, with the agent or without. */
const ofStarter = (status: number) => ({
  nobody: '404 T0001',
  visitor: '404 T0001',
  other: '404 T0001',
  starter: `${status}`,
  elsewhere: `${status}`,
})

/** For everybody, each their own. */
const forAll = (gives: string) => ({ nobody: gives, visitor: gives, other: gives, starter: gives, elsewhere: gives })

const table: Record<OperationName, Row> = {
  listAgents: { request: () => ({}), gives: forAll('200') },
  start: {
    request: () => ({ values: { agent: 'asker' }, body: { input: 'hi' } }),
    gives: { nobody: '401 T0007', visitor: '401 T0007', other: '201', starter: '201', elsewhere: '404 T1005' },
  },
  listRuns: { request: () => ({}), gives: { ...forAll('200'), nobody: '401 T0007' } },
  getRun: { request: ({ run }) => ({ values: { run } }), gives: ofStarter(200) },
  approve: {
    request: ({ run, ask }) => ({ values: { run }, body: { ask: ask.id, data: 'M' } }),
    gives: ofStarter(200),
  },
  refuse: { request: ({ run, ask }) => ({ values: { run }, body: { step: ask.step } }), gives: ofStarter(200) },
  say: { request: ({ run }) => ({ values: { run }, body: { text: 'hi' } }), gives: ofStarter(202) },
  stop: { request: ({ run }) => ({ values: { run }, body: {} }), gives: ofStarter(202) },
  runEvents: { request: ({ run }) => ({ values: { run } }), gives: ofStarter(200) },
  postChat: {
    request: (anns) => ({ values: { agent: 'asker' }, body: answered(anns) }),
    gives: { ...ofStarter(200), nobody: '401 T0007' },
  },
  chat: { request: ({ chat }) => ({ values: { agent: 'asker', chat } }), gives: ofStarter(200) },
  // 204 is what a chat that is not there has as well: a page asks for every chat that it opens.
  chatStream: {
    request: ({ talking }) => ({ values: talking }),
    gives: { ...forAll('204'), starter: '200', elsewhere: '200' },
  },
  listAsks: { request: () => ({}), gives: { ...forAll('200'), nobody: '401 T0007' } },
  events: { request: () => ({}), gives: { ...forAll('200'), nobody: '401 T0007' } },
  // With a token that is none: the right one stands for its person, whoever brings it.
  signIn: { request: () => ({ body: { token: 'guessed' } }), gives: forAll('401 T0007') },
  signOut: { request: () => ({ body: {} }), gives: forAll('200') },
  openapi: { request: () => ({}), gives: forAll('200') },
}

const names = Object.keys(operations) as OperationName[]
const ownLists: OperationName[] = ['listRuns', 'listAsks', 'events']

async function callAs(scene: Scene, caller: CallerName, name: OperationName, anns: Anns = scene.anns) {
  const { method, path } = operations[name]
  const { values = {}, body } = table[name].request(anns)
  const sent = method === 'POST' ? { body } : {}
  return scene.call(caller, pathOf(path, values), sent)
}

const isAnns = (caller: CallerName) => caller === 'starter' || caller === 'elsewhere'

test('every route has its row, and every path that is written down is a route', () => {
  expect(Object.keys(table)).toEqual(names)
  expect(new Set(names.map((name) => operations[name].path))).toEqual(new Set(Object.values(paths)))
})

describe.each(names)('G10 who may do what: %s', (name) => {
  test.each(callers)('as %s', async (caller) => {
    const all = await scene()
    const before = await all.logs()
    const { status, text, headers } = await callAs(all, caller, name)
    const code = headers.get('content-type') === 'application/problem+json' ? ` ${JSON.parse(text).code}` : ''
    expect(`${status}${code}`).toBe(table[name].gives[caller])
    if (isAnns(caller)) {
      if (ownLists.includes(name)) expect(text).toContain(secretWord)
      return
    }
    expect(text).not.toContain(secretWord)
    for (const id of [all.anns.ask.id, all.anns.chatAsk.id]) expect(text).not.toContain(id)
    // What names a run names it because the caller did.
    if (!operations[name].path.includes('{run}')) expect(text).not.toContain(all.anns.run)
    expect(await all.logs()).toEqual(before)
  })
})

/** What is asked of SQLite from now on, to the end of the test. */
function statements(): string[] {
  const asked: string[] = []
  const { all } = StatementSync.prototype
  const spy = vi.spyOn(StatementSync.prototype, 'all').mockImplementation(function (this: StatementSync, ...values) {
    // Who listens looks for changes by the clock, whoever calls.
    if (!this.sourceSQL.startsWith('pragma')) asked.push(this.sourceSQL)
    return all.apply(this, values)
  })
  onTestFinished(() => spy.mockRestore())
  return asked
}

describe('what is not yours is answered as what is not there, to the byte, and by the same statements', () => {
  const single = names.filter((name) => /\{(run|chat)\}/.test(operations[name].path) || name === 'postChat')

  /** Ids that are as long as Ann's, and nobody's. */
  const nobodys = (anns: Anns): Anns => {
    const none = (id: string) => id.replaceAll(/[0-9a-z]/g, (sign) => (sign === 'x' ? 'y' : 'x'))
    const { run, chat, talking, ask, chatAsk } = anns
    return {
      run: `run_${none(run.slice(4))}`,
      chat: none(chat),
      talking: { ...talking, chat: none(talking.chat) },
      ask: { ...ask, id: `ask_${none(ask.id.slice(4))}` },
      chatAsk: { ...chatAsk, id: `ask_${none(chatAsk.id.slice(4))}` },
    }
  }

  /** The same request in ways that are judged at different places: no reason to refuse may come before whose it is. */
  const ways: [string, (body: unknown) => { body?: unknown; method?: string; headers?: Record<string, string> }][] = [
    ['as it should be', (body) => ({ body })],
    ['no JSON', () => ({ body: '{' })],
    ['a form', () => ({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } })],
    ['unknown fields', () => ({ body: { as: 'ann' } })],
    ['an answer that does not fit', () => ({ body: { step: 'question 1.1', data: { no: 1 } } })],
    ['a step that never asked', () => ({ body: { step: 'question 9.9', data: 'M' } })],
    ['too large', () => ({ body: { text: 'x'.repeat(5_000_000) } })],
    ['from another site', (body) => ({ body, headers: { origin: 'https://evil.example' } })],
    ['another method', (body) => ({ body, method: 'PUT' })],
  ]

  const cells = single.flatMap((name) =>
    (['nobody', 'visitor', 'other'] as const).map((caller) => [name, caller] as const),
  )

  test.each(cells)('%s as %s', async (name, caller) => {
    const all = await scene()
    const { path, method } = operations[name]
    // What the visitor has started is at work until then.
    const { items } = await all.engine.runs.list({ agent: 'shop' })
    for (const { run } of items) await all.engine.runs.atRest(run)
    const asked = statements()
    let heardOf = 0
    const heard = async (anns: Anns, way: ReturnType<(typeof ways)[number][1]>) => {
      const { values = {} } = table[name].request(anns)
      asked.length = 0
      const { status, headers, text } = await all.call(caller, pathOf(path, values), way)
      heardOf += asked.length
      const shown = [...headers].filter(([header]) => header !== 'date')
      const ids = [anns.run, anns.chat, anns.talking.chat, anns.ask.id, anns.chatAsk.id]
      return { status, shown, text: ids.reduce((rest, id) => rest.replaceAll(id, '*'), text), asked: [...asked] }
    }
    const none = nobodys(all.anns)
    const queries = method === 'GET' ? [{}, { headers: { 'last-event-id': '1' } }, { method: 'HEAD' }] : []
    const before = await all.logs()
    for (const query of queries) expect(await heard(all.anns, query)).toEqual(await heard(none, query))
    for (const [way, send] of method === 'POST' ? ways : []) {
      const bodyOf = (anns: Anns) => table[name].request(anns).body
      expect(await heard(all.anns, send(bodyOf(all.anns))), way).toEqual(await heard(none, send(bodyOf(none))))
    }
    expect(await all.logs()).toEqual(before)
    // Nobody has nothing, and no row is looked for.
    expect(heardOf > 0, 'statements').toBe(caller !== 'nobody')
  })

  test('an ask of somebody else’s run, through a run of one’s own', async () => {
    const all = await scene()
    const started = await all.call('other', '/api/agents/asker/runs', { body: { input: 'mine' } })
    const { run } = JSON.parse(started.text) as { run: string }
    const heard = async (id: string) => {
      const { status, text } = await all.call('other', `/api/runs/${run}/approve`, { body: { ask: id, data: 'M' } })
      return { status, text: text.replaceAll(id, '*') }
    }
    await all.engine.runs.atRest(run)
    const theirs = await heard(all.anns.ask.id)
    expect(theirs).toMatchObject({ status: 404, text: expect.stringContaining('T0006') })
    expect(theirs).toEqual(await heard(nobodys(all.anns).ask.id))
    expect((await all.engine.runs.get(all.anns.run)).asks).toHaveLength(1)
  })
})
