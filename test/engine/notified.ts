import type { AskEvent, Clock, Engine, Notifier } from 'querent'
import { ask, asker, helperOf } from './world.ts'

/** The first wait after a failure, for the default time-out; it doubles, up to the last. */
export const firstRestMs = 15_000
export const longestRestMs = 300_000
/** After it, entries that a dead process had are looked for once more. */
export const lookAgainMs = 25_001

/** A notifier that keeps what it is told. `behave` may fail or hang, before it is kept. */
export function recorder(
  name = 'notify',
  behave: (event: AskEvent, signal: AbortSignal) => Promise<void> | void = () => {},
) {
  const seen: AskEvent[] = []
  const tries: string[] = []
  let waiters: (() => void)[] = []
  const until = async (isThere: () => boolean) => {
    while (!isThere())
      await new Promise<void>((resolve) => {
        waiters = [...waiters, resolve]
      })
  }
  const wake = () => {
    for (const each of waiters.splice(0)) each()
  }
  const notifier: Notifier = {
    name,
    async notify(event, { signal }) {
      tries.push(event.id)
      wake()
      await behave(event, signal)
      seen.push(event)
      wake()
    },
  }
  return {
    ...notifier,
    seen,
    tries,
    told: (count: number) => until(() => seen.length >= count),
    tried: (count: number) => until(() => tries.length >= count),
  }
}

/** A clock that says which timers wait, and lets a test wait for the n-th of a length. */
export function watched(clock: Clock) {
  const pending: number[] = []
  const armings = new Map<number, number>()
  let waiters: (() => void)[] = []
  const own: Clock = {
    now: () => clock.now(),
    after(delayMs, callback) {
      pending.push(delayMs)
      const done = () => pending.splice(pending.indexOf(delayMs), 1)
      const cancel = clock.after(delayMs, () => {
        done()
        callback()
      })
      armings.set(delayMs, (armings.get(delayMs) ?? 0) + 1)
      for (const each of waiters.splice(0)) each()
      let isOver = false
      return () => {
        if (!isOver && pending.includes(delayMs)) done()
        isOver = true
        cancel()
      }
    },
  }
  return {
    clock: own,
    pending,
    async armed(delayMs: number, times = 1) {
      while ((armings.get(delayMs) ?? 0) < times)
        await new Promise<void>((resolve) => {
          waiters = [...waiters, resolve]
        })
    },
  }
}

export function once() {
  return asker([{ calls: [ask('Size?')] }, { text: 'Done.' }])
}

/** Starts a run of Ann's and waits until it asks. */
export async function parked(engine: Engine): Promise<string> {
  const ann = helperOf(engine, 'asker')
  const { run } = await ann.start('go')
  await ann.atRest(run)
  return run
}

export function kinds(events: readonly AskEvent[]): string[] {
  return events.map((event) => (event.type === 'ask.settled' ? `${event.type} ${event.end.outcome}` : event.type))
}

/** Lets the head of the outbox fail until it was tried so many times, each wait over but the last. */
export async function failTimes(
  timers: ReturnType<typeof watched>,
  clock: { advance(ms: number): void },
  times: number,
) {
  const rests = [1, 2, 4, 8, 16].map((factor) => firstRestMs * factor)
  for (let count = 1; count <= times; count++) {
    const restMs = rests[count - 1] ?? longestRestMs
    await timers.armed(restMs, restMs === longestRestMs ? count - rests.length : 1)
    if (count < times) clock.advance(restMs)
  }
}
