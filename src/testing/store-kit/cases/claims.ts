import assert from 'node:assert/strict'
import { claim, kinds, leaseMs, newRun, note, offer, otherOffer, otherOwner, owner, working } from '../fixtures.ts'
import type { StoreCase } from '../store-case.ts'

const topic = 'claims'
const agents = ['asker']

export const claimCases: StoreCase[] = [
  {
    topic,
    name: 'a new run is ready, and its first event is there',
    async run({ first, second, clock }) {
      const run = newRun()
      assert.deepEqual(await first.createRun(run), { case: 'created' })
      const row = await second.getRun(run.id)
      assert.equal(row?.status, 'ready')
      assert.equal(row.fence, 0)
      assert.equal(row.lastSeq, 1)
      assert.equal(row.createdAt, clock.now())
      const [started] = await second.readEvents(run.id, 0)
      assert.deepEqual(started, { ...run.started, run: run.id, at: new Date(clock.now()).toISOString() })
    },
  },
  {
    topic,
    name: 'an offer at the start claims the run in the same stroke',
    async run({ first, second }) {
      const run = newRun({ claim: offer })
      const created = await first.createRun(run)
      assert(created.case === 'created' && created.claim)
      assert.equal(created.claim.fence, 1)
      assert.equal(created.claim.row.status, 'working')
      assert.equal(created.claim.row.attempts, 1)
      assert.deepEqual(created.claim.mail, [])
      assert.equal(await second.claimRun({ ...otherOffer, agents }), undefined)
    },
  },
  {
    topic,
    name: 'of many rivals on both handles one gets a ready run',
    async run({ first, second }) {
      const run = newRun()
      await first.createRun(run)
      const rivals = Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? first : second).claimRun({ ...offer, agents }),
      )
      const won = (await Promise.all(rivals)).filter((each) => each !== undefined)
      assert.equal(won.length, 1)
      assert.equal(won[0]?.fence, 1)
    },
  },
  {
    topic,
    name: 'the run that has been ready longest is claimed first, of the agents that are here only',
    async run({ first, second, clock }) {
      const elsewhere = newRun({ agent: 'unknown' })
      await first.createRun(elsewhere)
      const order: string[] = []
      for (let count = 0; count < 3; count += 1) {
        clock.advance(1)
        const run = newRun({ agent: count === 1 ? 'helper' : 'asker' })
        await first.createRun(run)
        order.push(run.id)
      }
      const claimed: (string | undefined)[] = []
      for (let count = 0; count < 4; count += 1) {
        claimed.push((await second.claimRun({ ...offer, agents: ['helper', 'asker'] }))?.run)
      }
      assert.deepEqual(claimed, [...order, undefined])
      assert.equal((await first.getRun(elsewhere.id))?.status, 'ready')
    },
  },
  {
    topic,
    name: 'one run can be asked for, and only if it is to be had and its agent is here',
    async run({ first, second }) {
      const [one, two] = [newRun(), newRun()]
      await first.createRun(one)
      await first.createRun(two)
      assert.equal(await second.claimRun({ ...offer, agents: ['helper'], run: two.id }), undefined)
      assert.equal((await second.claimRun({ ...offer, agents, run: two.id }))?.run, two.id)
      assert.equal(await first.claimRun({ ...otherOffer, agents, run: two.id }), undefined)
      assert.equal(await first.claimRun({ ...otherOffer, agents, run: 'none' }), undefined)
    },
  },
  {
    topic,
    name: 'a claim holds until its lease ends, a renewed one longer',
    async run({ first, second, clock }) {
      const held = await working(first)
      clock.advance(leaseMs)
      assert.equal(await second.claimRun({ ...otherOffer, agents }), undefined)
      assert.equal((await first.renewClaim(held, leaseMs)).case, 'ok')
      clock.advance(leaseMs)
      assert.equal(await second.claimRun({ ...otherOffer, agents }), undefined)
      clock.advance(1)
      const taken = await second.claimRun({ ...otherOffer, agents })
      assert.equal(taken?.fence, held.fence + 1)
    },
  },
  {
    topic,
    name: 'who lost the claim writes nothing, by any way',
    async run({ first, second, clock }) {
      const held = await working(first)
      clock.advance(leaseMs + 1)
      await claim(second, held.run, otherOffer)
      const lost = { case: 'lost' }
      assert.deepEqual(await first.append(held, { events: [note(2)] }), lost)
      assert.deepEqual(await first.parkRun(held, { events: [note(2)] }), lost)
      assert.deepEqual(await first.finishRun(held, { events: [note(2)] }, { status: 'done' }), lost)
      assert.deepEqual(await first.renewClaim(held, leaseMs), lost)
      assert.deepEqual(await first.giveBack(held), lost)
      assert.equal((await second.readEvents(held.run, 0)).length, 1)
      assert.equal((await second.getRun(held.run))?.status, 'working')
    },
  },
  {
    topic,
    name: 'a lease that ended unnoticed is still the holder’s',
    async run({ first, clock }) {
      const held = await working(first)
      clock.advance(leaseMs * 5)
      assert.equal((await first.append(held, { events: [note(2)] })).case, 'ok')
      assert.equal((await first.renewClaim(held, leaseMs)).case, 'ok')
    },
  },
  {
    topic,
    name: 'the runs of a dead owner can be claimed at once, those of others not',
    async run({ first, second }) {
      const held = await working(first)
      const other = await working(first, { claim: otherOffer })
      const request = { owner: { ...owner, id: 'owner-3' }, leaseMs, agents, dead: [owner.id] }
      const asked = await working(first)
      assert.equal((await second.claimRun({ ...request, run: asked.run }))?.run, asked.run)
      assert.equal((await second.claimRun(request))?.run, held.run)
      assert.equal(await second.claimRun(request), undefined)
      assert.equal(await second.claimRun({ ...request, run: other.run }), undefined)
    },
  },
  {
    topic,
    name: 'owners of claims are listed by host, each once, as long as they hold one',
    async run({ first, second }) {
      const held = await working(first)
      await working(first)
      const other = await working(first, { claim: otherOffer })
      await working(first, { claim: { owner: { ...owner, id: 'far', host: 'far' }, leaseMs } })
      const listed = await second.listOwners(owner.host)
      assert.deepEqual(
        listed.sort((a, b) => a.pid - b.pid),
        [owner, otherOwner],
      )
      await first.giveBack(other)
      assert.deepEqual(await second.listOwners(owner.host), [owner])
      assert.equal((await second.getRun(held.run))?.status, 'working')
    },
  },
  {
    topic,
    name: 'a claim that is given back makes the run ready and counts as no attempt',
    async run({ first, second }) {
      const held = await working(first)
      assert.deepEqual(await first.giveBack(held), { case: 'ok' })
      const row = await second.getRun(held.run)
      assert.equal(row?.status, 'ready')
      assert.equal(row.attempts, 0)
      assert.deepEqual(await first.giveBack(held), { case: 'lost' })
      assert.equal((await claim(second, held.run)).fence, 2)
    },
  },
  {
    topic,
    name: 'claims in a row without a write are counted, and a write starts the count again',
    async run({ first, clock }) {
      let held = await working(first)
      for (let attempt = 2; attempt <= 5; attempt += 1) {
        clock.advance(leaseMs + 1)
        held = await claim(first, held.run)
        assert.equal(held.row.attempts, attempt)
      }
      await first.append(held, { events: [note(2)] })
      assert.equal((await first.getRun(held.run))?.attempts, 0)
      await first.giveBack(held)
      assert.equal((await first.getRun(held.run))?.attempts, 0)
    },
  },
  {
    topic,
    name: 'a claim brings the mailbox, and a renewal looks into it',
    async run({ first, second }) {
      const held = await working(first)
      await second.addMessage({ run: held.run, from: 'person', content: 'hello' })
      const renewed = await first.renewClaim(held, leaseMs)
      assert(renewed.case === 'ok')
      assert.deepEqual(kinds(renewed.mail), ['message'])
      await first.giveBack(held)
      assert.deepEqual(kinds((await claim(second, held.run)).mail), ['message'])
    },
  },
  {
    topic,
    name: 'an owner sees what it holds at one look, and which of it was told something',
    async run({ first, second }) {
      const told = await working(first)
      const quiet = await working(first)
      await first.createRun(newRun({ claim: otherOffer }))
      await second.addMessage({ run: told.run, from: 'person', content: 'hello' })
      const claims = await second.listClaims(owner.id)
      assert.deepEqual(
        new Set(claims),
        new Set([
          { run: told.run, fence: 1, mailed: true },
          { run: quiet.run, fence: 1, mailed: false },
        ]),
      )
      await first.giveBack(told)
      assert.deepEqual(await second.listClaims(owner.id), [{ run: quiet.run, fence: 1, mailed: false }])
    },
  },
  {
    topic,
    name: 'the agents that ready runs wait for are named, those of other runs are not',
    async run({ first, second }) {
      assert.deepEqual(await second.readyAgents(), [])
      await first.createRun(newRun({ agent: 'one' }))
      await first.createRun(newRun({ agent: 'one' }))
      await first.createRun(newRun({ agent: 'two', claim: offer }))
      assert.deepEqual(await second.readyAgents(), ['one'])
    },
  },
]
