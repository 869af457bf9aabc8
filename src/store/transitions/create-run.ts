import { isoOf } from '../../core/view.ts'
import { query, type Slots, type Transition } from '../query.ts'
import { starterText } from '../rows.ts'
import type { Claim, CreateRun } from '../store.ts'
import { type Context, noteChange, noteReady } from './context.ts'
import { writeEvents } from './events.ts'
import { startScope, takeKey } from './keys.ts'
import { claimColumns, claimWith, lockRun } from './runs.ts'

type RunSlots = Slots<{
  id: string
  agent: string
  trigger: string
  starter: string
  title: string
  guarded: number
  parent: number | null
  parentCall: string | null
  now: number
  status: string
  fence: number
  attempts: number
  due_at: number
  owner: string | null
  host: string | null
  pid: number | null
  born_at: string | null
}>

const insertRun = query((db, $: RunSlots) =>
  db
    .insertInto('runs')
    .values({
      id: $.id,
      agent: $.agent,
      status: $.status,
      trigger: $.trigger,
      starter: $.starter,
      repeat: 1,
      title: $.title,
      guarded: $.guarded,
      parent: $.parent,
      parent_call: $.parentCall,
      fence: $.fence,
      last_seq: 1,
      attempts: $.attempts,
      input_tokens: 0,
      output_tokens: 0,
      total_tokens: 0,
      estimated: 0,
      created_at: $.now,
      updated_at: $.now,
      due_at: $.due_at,
      owner: $.owner,
      host: $.host,
      pid: $.pid,
      born_at: $.born_at,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll(),
)

type Created = { case: 'created'; claim?: Claim } | { case: 'same'; run: string } | { case: 'reused'; run: string }

/** Creates a run with its first event. The same key, or the same id (a child's, after a crash), is the same run. */
export function* createRun(context: Context, create: CreateRun): Transition<Created> {
  if (create.key) {
    const taken = yield* takeKey({
      ...create.key,
      scope: startScope(create.agent, create.starter),
      run: create.id,
    })
    if (taken.case !== 'new') return taken
  }
  const { claim } = create
  const [run] = yield* insertRun({
    id: create.id,
    agent: create.agent,
    trigger: create.trigger,
    starter: starterText(create.starter),
    title: create.title,
    guarded: create.guarded ? 1 : 0,
    parent: yield* numberOfParent(create),
    parentCall: create.parent ? JSON.stringify(create.parent) : null,
    now: context.now,
    status: claim ? 'working' : 'ready',
    ...(claim ? claimColumns(context, { fence: 0, attempts: 0 }, claim) : unclaimed(context)),
  })
  if (!run) return { case: 'same', run: create.id }
  yield* writeEvents(context, { ...run, last_seq: 0 }, { events: [create.started] })
  noteChange(context, run)
  // Nobody knows of it yet: its mailbox is empty.
  if (claim) {
    const at = isoOf(context.now)
    return { case: 'created', claim: { ...claimWith(run, []), log: [{ ...create.started, run: run.id, at }] } }
  }
  noteReady(context, run)
  return { case: 'created' }
}

function unclaimed({ now }: Context) {
  return { fence: 0, attempts: 0, due_at: now, owner: null, host: null, pid: null, born_at: null }
}

function* numberOfParent({ id, parent }: CreateRun): Transition<number | null> {
  if (!parent) return null
  const [run] = yield* lockRun({ run: parent.run })
  if (!run) throw new Error(`Run ${id} names the parent ${parent.run}, and there is no such run.`)
  return run.number
}
