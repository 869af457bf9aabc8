import { query, type Slots, type Transition } from '../query.ts'
import { mailOf, mailText, type NewMail } from '../rows.ts'
import type { Mail } from '../store.ts'

const insertMail = query((db, $: Slots<{ run: number; kind: string; data: string }>) =>
  db.insertInto('mail').values({ run: $.run, kind: $.kind, data: $.data }),
)

const selectMail = query((db, $: Slots<{ run: number }>) =>
  db.selectFrom('mail').select(['id', 'kind', 'data']).where('run', '=', $.run).orderBy('id'),
)

const deleteMail = query((db, $: Slots<{ run: number; id: number }>) =>
  db.deleteFrom('mail').where('run', '=', $.run).where('id', '=', $.id),
)

const deleteAllMail = query((db, $: Slots<{ run: number }>) => db.deleteFrom('mail').where('run', '=', $.run))

/** Puts something into a run's mailbox. */
export function* putMail(run: number, mail: NewMail): Transition<void> {
  yield* insertMail({ run, kind: mail.kind, data: mailText(mail) })
}

/** All that is in a run's mailbox, in the order it came. */
export function* readMail(run: number): Transition<Mail[]> {
  const rows = yield* selectMail({ run })
  return rows.map(mailOf)
}

/** Removes what the log has now. */
export function* takeMail(run: number, ids: number[]): Transition<void> {
  for (const id of ids) yield* deleteMail({ run, id })
}

export function* emptyMail(run: number): Transition<void> {
  yield* deleteAllMail({ run })
}
