import { QuerentError } from '../core/error.ts'
import type { Notifier } from '../core/notifier.ts'
import { type AnnounceParts, Announcer } from './announcer.ts'

const defaultTimeoutMs = 10_000
const longestTimeoutMs = 60_000

/** A plain function is the notifier `notify`. There can be one: a place in a list is no name that stays. */
export type Notify = Notifier | Notifier['notify']

/**
 * Makes an announcer for each notifier.
 * @throws QuerentError T1003 where one is wrong, or two have the same name.
 */
export function announcersOf(parts: AnnounceParts, notify: readonly Notify[] = []): Announcer[] {
  if (!Array.isArray(notify)) throw wrong('notify is not a list. Write notify: [notifier].')
  const notifiers = notify.map(checked)
  const names = new Set<string>()
  for (const { name } of notifiers) {
    if (names.has(name)) throw wrong(`Two notifiers have the name "${name}". Write { name: '…', notify } to name each.`)
    names.add(name)
  }
  return notifiers.map((notifier) => new Announcer(parts, notifier))
}

function checked(given: Notify): Required<Notifier> {
  if (typeof given === 'function') return { name: 'notify', notify: given, timeoutMs: defaultTimeoutMs }
  const { name, notify, timeoutMs = defaultTimeoutMs } = given ?? {}
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    throw wrong(`A notifier has the name ${JSON.stringify(name)}. Use 1 to 64 letters, digits, ".", "_" or "-".`)
  if (typeof notify !== 'function') throw wrong(`Notifier "${name}" has no notify function.`)
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > longestTimeoutMs) {
    const seen = JSON.stringify(timeoutMs)
    throw wrong(`Notifier "${name}" has timeoutMs = ${seen}. Give a whole number from 1 to ${longestTimeoutMs}.`)
  }
  // Called on what was given: a notifier may be an instance of a class.
  return { name, notify: (event, context) => given.notify(event, context), timeoutMs }
}

function wrong(message: string): QuerentError {
  return new QuerentError('T1003', message)
}
