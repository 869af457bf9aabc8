import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { runStoreCase } from '../../src/testing/store-kit/store-case.ts'
import { storeCases } from '../../src/testing/store-kit/store-cases.ts'
import { openSqlite } from './open.ts'

/* A kit that lets a broken store pass is worth nothing. Each of these breaks one promise; cases of its topic must see it. */

interface Fault {
  topic: string
  broken(store: Store): Partial<Store>
}

const faults: Record<string, Fault> = {
  'a claim does not raise the fence': {
    topic: 'claims',
    broken: (store) => ({
      async claimRun(request) {
        const claim = await store.claimRun(request)
        return claim && { ...claim, fence: claim.fence - 1 }
      },
    }),
  },
  'a lost claim is not said': {
    topic: 'claims',
    broken: (store) => ({
      async append(held, write) {
        const kept = await store.append(held, write)
        return kept.case === 'lost' ? { case: 'ok', mail: [], at: 0 } : kept
      },
    }),
  },
  'a lease is not prolonged': {
    topic: 'claims',
    broken: () => ({ renewClaim: async () => ({ case: 'ok', mail: [], at: 0 }) }),
  },
  'dead owners are not looked at': {
    topic: 'claims',
    broken: (store) => ({ claimRun: ({ dead: _, ...request }) => store.claimRun(request) }),
  },
  'mail is not told of': {
    topic: 'claims',
    broken: (store) => ({
      listClaims: async (of) => (await store.listClaims(of)).map((claim) => ({ ...claim, mailed: false })),
    }),
  },
  'claims of others are told of': {
    topic: 'claims',
    broken: (store) => ({
      listClaims: async (of) => [...(await store.listClaims(of)), ...(await store.listClaims('owner-2'))],
    }),
  },
  'a claim is not given back': { topic: 'claims', broken: () => ({ giveBack: async () => ({ case: 'ok' }) }) },
  'all agents are claimed for': {
    topic: 'claims',
    broken: (store) => ({
      claimRun: (request) => store.claimRun({ ...request, agents: ['asker', 'helper', 'unknown'] }),
    }),
  },
  'keys of JSON are sorted': {
    topic: 'log',
    broken: (store) => ({
      async readEvents(run, after, limit) {
        const events = await store.readEvents(run, after, limit)
        return events.map((event) => JSON.parse(JSON.stringify(event, sorted)))
      },
    }),
  },
  'a page of the log has no end': {
    topic: 'log',
    broken: (store) => ({ readEvents: (run, after) => store.readEvents(run, after) }),
  },
  'usage is added up instead of set': {
    topic: 'log',
    broken: (store) => ({ append: (held, { usage: _, ...write }) => store.append(held, write) }),
  },
  'parking does not look into the mailbox': {
    topic: 'park',
    broken: (store) => ({
      async parkRun(held, write) {
        const parked = await store.parkRun(held, write)
        return parked.case === 'ready' ? { case: 'parked' } : parked
      },
    }),
  },
  'mail is never taken': {
    topic: 'park',
    broken: (store) => ({ append: (held, { consumed: _, ...write }) => store.append(held, write) }),
  },
  'a second answer counts': {
    topic: 'settle',
    broken: (store) => ({
      async settleAsk(settle) {
        const settled = await store.settleAsk(settle)
        return settled.case === 'already' ? { case: 'settled', ask: settled.ask } : settled
      },
    }),
  },
  'the same answer again is an error': {
    topic: 'settle',
    broken: (store) => ({ settleAsk: ({ answer: _, ...settle }) => store.settleAsk(settle) }),
  },
  'what is falsy is no answer': {
    topic: 'settle',
    broken: (store) => ({ settleAsk: (settle) => store.settleAsk({ ...settle, data: settle.data || undefined }) }),
  },
  'an offer is never taken': {
    topic: 'settle',
    broken: (store) => ({ settleAsk: ({ claim: _, ...settle }) => store.settleAsk(settle) }),
  },
  'asks of a step come newest first': {
    topic: 'settle',
    broken: (store) => ({ findAsks: async (run, step) => (await store.findAsks(run, step)).reverse() }),
  },
  'the key of a message is not looked at': {
    topic: 'messages',
    broken: (store) => ({ addMessage: ({ key: _, ...message }) => store.addMessage(message) }),
  },
  'the output is lost': {
    topic: 'finish',
    broken: (store) => ({
      finishRun: (held, write, { output: _, ...end }) => store.finishRun(held, write, end),
    }),
  },
  'what runs can be retried': { topic: 'finish', broken: () => ({ retryRun: async () => ({ case: 'ready' }) }) },
  'a stop closes a log that it did not read': {
    topic: 'stop',
    broken: (store) => ({ stopRun: (stop) => store.stopRun({ ...stop, close: (_, mail) => stop.close([], mail) }) }),
  },
  'nothing expires': { topic: 'expiry', broken: () => ({ expireAsks: async () => [] }) },
  'no deadline is told': { topic: 'expiry', broken: () => ({ untilDeadline: async () => undefined }) },
  'asks past their deadline are counted': {
    topic: 'counts',
    broken: (store) => ({
      async countWork() {
        const counts = await store.countWork()
        return { ...counts, openAsks: counts.openAsks === 2 ? 3 : counts.openAsks }
      },
    }),
  },
  'delegated runs are not counted': {
    topic: 'counts',
    broken: (store) => ({
      async countWork() {
        const counts = await store.countWork()
        return { ...counts, ready: Math.min(counts.ready, 2) }
      },
    }),
  },
  'the key of a start is not looked at': {
    topic: 'keys',
    broken: (store) => ({ createRun: ({ key: _, ...run }) => store.createRun(run) }),
  },
  'a cursor is not looked at': {
    topic: 'lists',
    broken: (store) => ({ listRuns: ({ after: _, ...list }) => store.listRuns(list) }),
  },
  'runs come oldest first': {
    topic: 'lists',
    broken: (store) => ({
      async listRuns(list) {
        const page = await store.listRuns(list)
        return { ...page, items: page.items.reverse() }
      },
    }),
  },
  'everybody’s asks are listed': {
    topic: 'lists',
    broken: (store) => ({ listAsks: ({ starter: _, ...list }) => store.listAsks(list) }),
  },
  'asks are acknowledged in vain': { topic: 'outbox', broken: () => ({ ackOutbox: async () => {} }) },
  'a run is not erased': { topic: 'erase', broken: () => ({ eraseRun: async () => ({ case: 'erased' }) }) },
  'nobody is told of changes': { topic: 'changes', broken: () => ({ onChange: () => () => {} }) },
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

for (const [name, { topic, broken }] of Object.entries(faults)) {
  test(`${topic}: ${name}`, async () => {
    const failures: unknown[] = []
    for (const each of storeCases) {
      // This one would wait for its hint for ever, as it should.
      if (each.topic !== topic || each.name === 'what another handle wrote is noticed') continue
      const open: typeof openSqlite = async (clock) => {
        const { first, second, close } = await openSqlite(clock)
        return { first: { ...first, ...broken(first) }, second: { ...second, ...broken(second) }, close }
      }
      await runStoreCase(each, open).catch((error) => failures.push(error))
    }
    expect(failures).not.toEqual([])
  })
}
