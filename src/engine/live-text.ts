import type { ViewEvent } from '../core/view.ts'

/** `seq`: the last line of the log when it came, so that who watches can put it in its place. */
type Listener = (event: ViewEvent, seq: number) => void

/** Text as it arrives, from the worker of a run to those who watch it in the same process. Stored nowhere. */
export class LiveText {
  private readonly listeners = new Map<string, Set<Listener>>()

  emit(run: string, event: ViewEvent, seq: number): void {
    for (const listener of this.listeners.get(run) ?? []) listener(event, seq)
  }

  listen(run: string, listener: Listener): () => void {
    const set = this.listeners.get(run) ?? new Set()
    this.listeners.set(run, set.add(listener))
    return () => {
      set.delete(listener)
      if (set.size === 0) this.listeners.delete(run)
    }
  }
}
