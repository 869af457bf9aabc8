import { postgres } from '../../src/store/postgres/postgres.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import { ann, finished, newAsk, newRun, note, opening, owner } from '../../src/testing/store-kit/fixtures.ts'

/* What other processes do in these tests: `node worker.ts <job> <path or URL> […]`. */

const [job = '', path = '', ...args] = process.argv.slice(2)
const store = path.startsWith('postgres:') ? postgres(path) : sqlite(path)
const offer = { owner: { ...owner, id: `owner-${process.pid}`, pid: process.pid }, leaseMs: 60_000 }

/** Start, ask, answer, end: `count` times, some at once. */
async function cycles(count: number): Promise<void> {
  for (let done = 0; done < count; done += 5) await Promise.all(Array.from({ length: 5 }, cycle))
}

async function cycle(): Promise<void> {
  const run = newRun({ claim: offer })
  const created = await store.createRun(run)
  if (created.case !== 'created' || !created.claim) throw new Error(`not created: ${created.case}`)
  const ask = newAsk()
  const parked = await store.parkRun(created.claim, opening(2, ask))
  if (parked.case !== 'parked') throw new Error(`not parked: ${parked.case}`)
  const settled = await store.settleAsk({ ask: ask.id, outcome: 'approved', by: ann, data: 'M', claim: offer })
  if (settled.case !== 'settled' || !settled.claim) throw new Error(`not settled: ${settled.case}`)
  const ended = await store.finishRun(settled.claim, { events: [finished(4)] }, { status: 'done' })
  if (ended.case !== 'ok') throw new Error(`not ended: ${ended.case}`)
}

/** Answers each of these asks, as others do at the same time. Prints how many it won. */
async function settleAll(asks: string[]): Promise<void> {
  const settle = (ask: string) => store.settleAsk({ ask, outcome: 'approved', by: ann, data: process.pid })
  const results = await Promise.all(asks.map(settle))
  console.log(results.filter((result) => result.case === 'settled').length)
}

/** Claims whatever it can, one after another, writes into it and gives it back, until nothing is left. */
async function claimAll(): Promise<void> {
  let claims = 0
  for (;;) {
    const claim = await store.claimRun({ ...offer, agents: ['asker'] })
    if (!claim) break
    claims += 1
    const write = { events: [note(claim.row.lastSeq + 1, `claim ${claim.fence}`)] }
    const done = claim.row.lastSeq === 5
    const result = done ? await store.finishRun(claim, write, { status: 'done' }) : await store.append(claim, write)
    if (result.case !== 'ok') throw new Error(`a claim of its own was ${result.case}`)
    if (!done) await store.giveBack(claim)
  }
  console.log(claims)
}

async function hold(): Promise<void> {
  await store.createRun(newRun({ claim: offer }))
  console.log('holds')
  // Stays until it is killed.
  process.on('SIGTERM', () => {})
  process.stdin.resume()
  await new Promise(() => setInterval(() => {}, 1000))
}

/** Has nothing to do but to listen. */
async function listen(): Promise<void> {
  await store.migrate()
  const heard = new Promise<void>((resolve) => {
    let hints = 0
    const stop = store.onChange(() => {
      hints += 1
      if (hints === 1) console.log('listens')
      if (hints < 2) return
      stop()
      resolve()
    })
  })
  await heard
  console.log('heard')
}

async function create(): Promise<void> {
  await store.createRun(newRun())
  console.log('created')
}

const jobs: Record<string, () => Promise<void>> = {
  cycles: () => cycles(Number(args[0])),
  settle: () => settleAll(args),
  claim: claimAll,
  migrate: () => store.migrate(),
  create,
  hold,
  listen,
  leave: create,
}

await jobs[job]?.()
// A process that has nothing left to do ends, whether or not it closes its store.
if (job !== 'leave') await store.close()
