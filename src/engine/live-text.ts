import type { ViewEvent } from '../core/view.ts'

type Listener = (event: ViewEvent) => void

/** Text as it arrives, from the worker of a run to those who watch it in the same process. Stored nowhere. */
export class LiveText {
  private readonly listeners = new Map<string, Set<Listener>>()

  emit(run: string, event: ViewEvent): void {
    for (const listener of this.listeners.get(run) ?? []) listener(event)
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
