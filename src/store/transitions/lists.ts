import { pageOf, pageSize, placeOf } from '../cursor.ts'
import { type Kysely, sql } from '../kysely.ts'
import { type Query, query, type Slots, type Transition } from '../query.ts'
import { askRowOf, runRowOf, type StoredAskOfRun, starterText } from '../rows.ts'
import type { AskRow, ListAsks, ListRuns, Page, RunRow } from '../store.ts'
import { never, type StoredRun, type Tables } from '../tables.ts'
import { open } from './asks.ts'
import { startScope } from './keys.ts'

/*
 * A list has one query for each combination of filters that somebody uses: a query that made up for a missing filter
 * with `or` would not be answered from an index.
 */

const selectRun = query((db, $: Slots<{ run: string }>) => withChildrenWork(db).where('id', '=', $.run))

const selectDeadline = query((db) =>
  db.selectFrom('asks').select('until_at').where('state', '=', open).orderBy('until_at').orderBy('number').limit(1),
)

const selectAsksOfStep = query((db, $: Slots<{ run: string; step: string }>) =>
  asksWithRuns(db).where('asks.run', '=', numberOf(db, $)).where('asks.step', '=', $.step).orderBy('asks.number'),
)

function asksWithRuns(db: Kysely<Tables>) {
  return db
    .selectFrom('asks')
    .innerJoin('runs as owners', 'owners.number', 'asks.owner')
    .innerJoin('runs as roots', 'roots.number', 'asks.run')
    .selectAll('asks')
    .select(['owners.id as owner_id', 'owners.agent', 'roots.id as run_id'])
}

function numberOf(db: Kysely<Tables>, $: Slots<{ run: string }>) {
  return db.selectFrom('runs').select('runs.number').where('runs.id', '=', $.run)
}

export function* getRun(run: string): Transition<RunRow | undefined> {
  const [row] = yield* selectRun({ run })
  return row && listedRowOf(row)
}

/** A row of `runs`, with whether a run below one that waits is `ready` or `working`. */
interface ListedRun extends StoredRun {
  children_work: number
}

/** A run that waits for its children is at rest only when they are. */
function listedRowOf(stored: ListedRun): RunRow {
  const row = runRowOf(stored)
  if (stored.children_work === 1) row.childrenWork = true
  return row
}

/** Read in the statement that reads the run: between two, its children could end and it be ready, and look at rest. */
function withChildrenWork(db: Kysely<Tables>) {
  const below = db
    .withRecursive('below', (cte) =>
      cte
        .selectFrom('runs as child')
        .select(['child.number', 'child.status'])
        .where('child.parent', '=', sql.ref<number>('runs.number'))
        .unionAll((all) =>
          all
            .selectFrom('runs as child')
            .innerJoin('below', 'below.number', 'child.parent')
            .select(['child.number', 'child.status']),
        ),
    )
    .selectFrom('below')
    .select('number')
    .where('status', 'in', ['ready', 'working'])
  // Most runs that wait have nothing below them, and to begin a recursion takes longer than all the rest. Any one, and
  // not `exists`: for that Postgres may read the whole table first.
  const child = db
    .selectFrom('runs as child')
    .select('child.number')
    .where('child.parent', '=', sql.ref<number>('runs.number'))
    .limit(sql.lit(1))
  return db
    .selectFrom('runs')
    .selectAll('runs')
    .select((select) =>
      select
        .case()
        .when(select.and([select('runs.status', '=', 'waiting'), select(child, 'is not', null), select.exists(below)]))
        .then(sql.lit(1))
        .else(sql.lit(0))
        .end()
        .as('children_work'),
    )
}

/** Every ask there has ever been at a step, in the order they opened: of `repeat`, then `n`. */
export function* findAsks(run: string, step: string): Transition<AskRow[]> {
  const rows = yield* selectAsksOfStep({ run, step })
  return rows.map(askRowOf)
}

export function* nextDeadline(): Transition<number | undefined> {
  const [first] = yield* selectDeadline({})
  return first === undefined || first.until_at === never ? undefined : first.until_at
}

type RunListValues = {
  starter: string
  status: string
  agent: string
  scope: string
  key: string
  before: number
  limit: number
}

const runLists = new Map<string, Query<RunListValues, ListedRun>>()

function runList(list: ListRuns): Query<RunListValues, ListedRun> {
  const { starter, status, agent, active, key } = list
  const over = status === 'done' || status === 'failed' || status === 'stopped'
  const shape = [
    starter && 'starter',
    status && (over ? 'over' : 'status'),
    agent && 'agent',
    active && 'active',
    key !== undefined && 'key',
  ].join()
  let found = runLists.get(shape)
  if (!found) {
    found = query((db, $: Slots<RunListValues>) => {
      let rows = withChildrenWork(db).where('parent', 'is', null).where('number', '<', $.before)
      // The key is one of a starter and an agent: looked for by them as well, another index would be taken.
      if (key !== undefined) rows = rows.where('id', 'in', createdWith(db, $))
      else if (starter) rows = rows.where('starter', '=', $.starter)
      if (status) rows = rows.where('status', '=', $.status)
      if (agent && key === undefined) rows = rows.where('agent', '=', $.agent)
      // With a starter, the index of their runs is the better one: others may have ended a million.
      if (over && !starter) rows = rows.where('ended_at', 'is not', null)
      if (active || (status && !over)) rows = rows.where('ended_at', 'is', null)
      return rows.orderBy('number', 'desc').limit($.limit)
    })
    runLists.set(shape, found)
  }
  return found
}

function createdWith(db: Kysely<Tables>, $: Slots<{ scope: string; key: string }>) {
  return db.selectFrom('keys').select('keys.run').where('keys.scope', '=', $.scope).where('keys.key', '=', $.key)
}

function keyOf({ key, agent, starter }: ListRuns): { scope: string; key: string } {
  if (key === undefined) return { scope: '', key: '' }
  if (agent === undefined || !starter) throw new Error('A key is one of a starter and an agent: give both.')
  return { scope: startScope(agent, starter), key }
}

/** Roots, newest first. */
export function* listRuns(list: ListRuns): Transition<Page<RunRow>> {
  const size = pageSize(list.limit)
  const [before = never] = list.after === undefined ? [] : placeOf(list.after, 1)
  const rows = yield* runList(list)({
    starter: list.starter ? starterText(list.starter) : '',
    status: list.status ?? '',
    agent: list.agent ?? '',
    ...keyOf(list),
    before,
    limit: size + 1,
  })
  return pageOf(rows, size, { item: listedRowOf, place: (row) => [row.number] })
}

type AskListValues = { starter: string; run: string; now: number; until: number; number: number; limit: number }

const askLists = new Map<string, Query<AskListValues, StoredAskOfRun>>()

function askList(list: ListAsks): Query<AskListValues, StoredAskOfRun> {
  const { starter, run, open: onlyOpen = true } = list
  const shape = [starter && 'starter', run !== undefined && 'run', onlyOpen].join()
  let found = askLists.get(shape)
  if (!found) {
    found = query((db, $: Slots<AskListValues>) => {
      let rows = asksWithRuns(db)
      if (run !== undefined) rows = rows.where('asks.run', '=', numberOf(db, $))
      // Of a run the starter is looked at, not searched by: they may have a hundred thousand other asks.
      if (starter) rows = rows.where(run === undefined ? 'asks.starter' : 'roots.starter', '=', $.starter)
      if (!onlyOpen) return rows.where('asks.number', '>', $.number).orderBy('asks.number').limit($.limit)
      return rows
        .where('asks.state', '=', open)
        .where('asks.until_at', '>=', $.now)
        .where(sql<boolean>`(asks.until_at, asks.number) > (${$.until}, ${$.number})`)
        .orderBy('asks.until_at')
        .orderBy('asks.number')
        .limit($.limit)
    })
    askLists.set(shape, found)
  }
  return found
}

/** Open asks, nearest deadline first, then oldest; or, with `open: false`, all of a run, oldest first. */
export function* listAsks(now: number, list: ListAsks): Transition<Page<AskRow>> {
  const size = pageSize(list.limit)
  const onlyOpen = list.open ?? true
  if (!onlyOpen && list.run === undefined) throw new Error('Asks that are not open are listed by run: give `run`.')
  const [until = 0, number = 0] = list.after === undefined ? [] : placeOf(list.after, 2)
  const rows = yield* askList(list)({
    starter: list.starter ? starterText(list.starter) : '',
    run: list.run ?? '',
    now,
    until,
    number,
    limit: size + 1,
  })
  return pageOf(rows, size, { item: askRowOf, place: (row) => [onlyOpen ? row.until_at : 0, row.number] })
}
