import type { Clock } from '../protocol/core.ts'

/** How long a store goes on after the last that looked has gone: whoever moves to another screen comes back at once. */
const lingerMs = 250

/**
 * State outside of React, in the form that `useSyncExternalStore` takes. It works while somebody looks. What changes in one
 * turn of the event loop is told once: a conversation of a thousand lines that arrives is drawn once, not a thousand times.
 */
export abstract class Store<S extends object> {
  protected readonly clock: Clock
  private state: S
  private readonly listeners = new Set<() => void>()
  private cancelRest: (() => void) | undefined
  private cancelTelling: (() => void) | undefined
  private works = false

  constructor(clock: Clock, initial: S) {
    this.clock = clock
    this.state = initial
  }

  get current(): S {
    return this.state
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    this.cancelRest?.()
    this.cancelRest = undefined
    if (!this.works) {
      this.works = true
      this.work()
    }
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size > 0 || this.cancelRest) return
      this.cancelRest = this.clock.after(lingerMs, () => this.stop())
    }
  }

  /** Begins: somebody looks. */
  protected abstract work(): void

  /** Ends: nobody looks any more. */
  protected abstract rest(): void

  /** The state as it is now. */
  protected abstract look(): S

  /** What the state is made of has changed. */
  protected changed(): void {
    this.cancelTelling ??= this.clock.after(0, () => {
      this.cancelTelling = undefined
      this.state = this.look()
      for (const listener of this.listeners) listener()
    })
  }

  private stop(): void {
    this.cancelRest = undefined
    this.cancelTelling?.()
    this.cancelTelling = undefined
    this.works = false
    this.rest()
  }
}
