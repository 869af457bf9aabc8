import type { Clock, Logger } from 'querent'

/** What stands for one process of a test: it can die, and then nothing it does has an effect. */
export interface Process {
  dead: boolean
  /** Its handle on the database is closed, and its claims have lapsed. */
  buried: boolean
  died: PromiseWithResolvers<void>
  timers: Set<() => void>
  closeStore(): Promise<void>
}

export interface LogLine {
  level: string
  message: string
  data?: Record<string, unknown>
}

/** What the processes of one world logged, and who waits for a line. */
export function newJournal() {
  const lines: LogLine[] = []
  let waiters: (() => void)[] = []
  const note = (process: Process, level: string) => (message: string, data?: Record<string, unknown>) => {
    if (process.dead) return
    lines.push({ level, message, ...(data ? { data } : {}) })
    for (const wake of waiters.splice(0)) wake()
  }
  return {
    lines,
    loggerOf: (process: Process): Logger => ({
      info: () => undefined,
      warn: note(process, 'warn'),
      error: note(process, 'error'),
    }),
    async said(message: string, times = 1): Promise<void> {
      while (lines.filter((line) => line.message === message).length < times) {
        await new Promise<void>((resolve) => {
          waiters = [...waiters, resolve]
        })
      }
    },
  }
}

/** The delays that timers were armed with, and who waits for one. */
export function newDelays() {
  const seen = new Set<number>()
  const waiters = new Map<number, PromiseWithResolvers<void>>()
  return {
    note(delayMs: number): void {
      seen.add(delayMs)
      waiters.get(delayMs)?.resolve()
    },
    async armed(delayMs: number): Promise<void> {
      if (seen.has(delayMs)) return
      const waiter = waiters.get(delayMs) ?? Promise.withResolvers<void>()
      waiters.set(delayMs, waiter)
      await waiter.promise
    },
  }
}

/** Dead, a process hears nothing from its store any more: its calls stay without an answer. */
export function mortal<S extends object>(store: S, process: Process): S {
  const silence = new Promise<never>(() => undefined)
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (process.dead) return name === 'onChange' ? () => undefined : silence
        const result: unknown = value.apply(target, args)
        if (!(result instanceof Promise)) return result
        return result.then(
          (given: unknown) => (process.dead ? silence : given),
          (error: unknown) => (process.dead ? silence : Promise.reject(error)),
        )
      }
    },
  })
}

/** The clock of one process, whose timers end with it. */
export function clockOf(process: Process, clock: Clock, note: (delayMs: number) => void): Clock {
  return {
    now: () => clock.now(),
    after(delayMs, callback) {
      if (process.dead) return () => undefined
      const cancel = clock.after(delayMs, () => {
        process.timers.delete(cancel)
        callback()
      })
      process.timers.add(cancel)
      note(delayMs)
      return () => {
        process.timers.delete(cancel)
        cancel()
      }
    },
  }
}
