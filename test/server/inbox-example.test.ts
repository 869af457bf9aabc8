import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Helper, type Json } from 'querent'
import { createClient } from 'querent/client'
import { sqlite } from 'querent/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { handbook } from '../../examples/inbox/handbook.ts'
import { planning } from '../../examples/inbox/planning.ts'
import { releases } from '../../examples/inbox/releases.ts'
import { shirts } from '../../examples/inbox/shirts.ts'
import { trips } from '../../examples/inbox/trips.ts'
import { printed, querentCommand, Workplace } from '../cli/workplace.ts'

const pace = { wordMs: 0 }
const agents = [shirts(pace), releases(pace), ...trips(pace), planning(pace), handbook(pace)]

async function helperFor(agent: string): Promise<Helper> {
  const engine = createEngine({ agents, store: sqlite(join(new Workplace().folder, 'inbox.db')) })
  onTestFinished(() => engine.close())
  await engine.start()
  return engine.as({ id: 'ann' }).agent(agent)
}

/** A refusal, with or without a reason; anything else answers or approves. */
type Move = { data?: Json } | { refuse: string | undefined }

/** Plays a round: answers what is asked, in order, and gives what was asked and what was said last. */
async function played(helper: Helper, run: string, moves: Move[]): Promise<{ asked: string[]; text: string }> {
  const asked: string[] = []
  for (const move of moves) {
    const [ask] = (await helper.atRest(run)).asks
    if (!ask) throw new Error(`Nothing is asked after ${asked.join(', ')}.`)
    asked.push(`${ask.path.join('/')} ${ask.kind} ${ask.tool}`)
    if ('refuse' in move) await helper.refuse(ask, { reason: move.refuse })
    else await helper.approve(ask, move)
  }
  const { status, text, error } = await helper.atRest(run)
  expect({ status, error }).toEqual({ status: 'done', error: undefined })
  return { asked, text }
}

const address = { street: 'Lindenweg 5', postcode: '10969', city: 'Berlin', country: 'Germany' }
const delivery = { name: 'Ann Example', quantity: 2, colour: 'navy', gift: true, address }

test.each<[string, Move[], RegExp]>([
  ['ordered', [{ data: 'M' }, { data: delivery }, {}], /Order 4711: 2 × T-shirt M in navy, €52\.90/],
  [
    'ordered with a change',
    [
      { data: 'M' },
      { data: delivery },
      {
        data: {
          input: { size: 'L', colour: 'sand', quantity: 1, gift: false, shipTo: 'Ann', totalEuro: 24.5 },
        },
      },
    ],
    /Order 4711: 1 × T-shirt L in sand, €24\.50/,
  ],
  [
    'not ordered',
    [{ data: 'M' }, { data: delivery }, { refuse: 'too dear' }],
    /nothing was charged\. You said: “too dear”/,
  ],
  ['no address', [{ data: 'M' }, { refuse: undefined }], /ordered nothing/],
  ['no size', [{ refuse: undefined }], /No shirt, then/],
])('shirts: %s', async (_, moves, said) => {
  const helper = await helperFor('shirts')
  const { run } = await helper.start('I need a T-shirt')
  expect((await played(helper, run, moves)).text).toMatch(said)
  // Whoever goes on talking is not met by an error.
  await helper.say({ run, text: 'Another one, please.' })
  expect((await played(helper, run, moves)).text).toMatch(said)
})

test.each<[Move[], RegExp]>([
  [[{}, {}], /0042 ran.*2\.14\.0 serves all traffic.*The release is out/s],
  [[{}, { refuse: 'not on a Friday' }], /0042 ran.*I noted: “not on a Friday”.*nothing is urgent/s],
  [[{ refuse: undefined }, {}], /Migration:\*\* not done.*old rows/s],
  [[{ refuse: undefined }, { refuse: undefined }], /Nothing was changed in production/],
])('releases: asks twice in one turn, and hears %j', async (moves, said) => {
  const helper = await helperFor('releases')
  const { run } = await helper.start('Release the web shop.')
  const { asks } = await helper.atRest(run)
  expect(asks.map(({ tool, until }) => [tool, until !== undefined])).toEqual([
    ['run_migration', true],
    ['deploy', true],
  ])
  expect((await played(helper, run, moves)).text).toMatch(said)
})

test.each<[string, Move[], RegExp]>([
  ['a choice', [{ data: 'Sea and walking' }, {}], /Booked: Casa do Largo, 3 nights.*Sea and walking: the whole day/s],
  ['a choice of their own', [{ data: { selected: [], other: 'Fado' } }, {}], /Fado: the whole day/],
  [
    'no room',
    [{ data: 'Sea and walking' }, { refuse: 'cheaper' }],
    /Nothing is booked: the traveller said no \(“cheaper”\)/,
  ],
  ['no trip', [{ refuse: undefined }], /Have a good trip/],
])('trips: %s', async (_, moves, said) => {
  const helper = await helperFor('trips')
  const { run } = await helper.start('A weekend in Lisbon')
  const { asked, text } = await played(helper, run, moves)
  expect(asked).toEqual(['trips question question', 'trips/bookings approval book_hotel'].slice(0, moves.length))
  expect(text).toMatch(said)
})

test.each<[Move, RegExp]>([
  [{ data: ['Index review', 'billing-v2'] }, /1\. Index review.*7 of 14 engineer-weeks\. Still free: 7 weeks/s],
  [{ data: { selected: ['Index review'], other: 'Sleep' } }, /Your own proposal, “Sleep”/],
  [
    {
      data: ['Help page with search', 'billing-v2', 'Address form for phones', 'Index review', 'Nightly restore test'],
    },
    /2 weeks too many/,
  ],
  [{ refuse: 'not now' }, /I keep in mind: “not now”/],
])('planning: %j', async (move, said) => {
  const helper = await helperFor('planning')
  const { run } = await helper.start('Plan the next quarter')
  expect((await played(helper, run, [move])).text).toMatch(said)
})

test('handbook: just answers', async () => {
  const helper = await helperFor('handbook')
  const { run } = await helper.start('How many holidays do I have?')
  expect((await played(helper, run, [])).text).toContain('30 days')
  await helper.say({ run, text: 'And my train tickets?' })
  expect((await played(helper, run, [])).text).toContain('second class')
})

test('npm start serves them, in a folder that is not there yet; the data stays', async () => {
  const root = join(import.meta.dirname, '../..')
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [, config = ''] = /serve --config (\S+)$/.exec(scripts.start) ?? []
  const place = new Workplace()
  const env = { INBOX_DATABASE: 'a/b/inbox.db', INBOX_WORD_MS: '0' }
  const child = place.spawn([...querentCommand, 'serve', '--config', join(root, config), '--port', '0'], env)
  const told = new Promise<string>((resolve) => child.stderr?.setEncoding('utf8').once('data', resolve))
  const [, url = ''] = await printed(child, /serves at (http:\S+)/)
  expect(await told).toContain('a/b/inbox.db')
  const client = createClient({ url })
  const names = (await client.agents()).map(({ name, description }) => [name, description !== undefined])
  expect(names).toEqual(['shirts', 'releases', 'trips', 'planning', 'handbook'].map((name) => [name, true]))
  const { run } = await client.agent('shirts').start('A shirt, please')
  await client.runs.atRest(run)
  const listed = await place.querent(['asks', '--database', 'a/b/inbox.db'])
  expect(listed.stdout).toContain('Which size fits you?')
})
