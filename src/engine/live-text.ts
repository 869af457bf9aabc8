import type { ViewEvent } from '../core/view.ts'

/** `seq`: the last line of the log when it came, so that who watches can put it in its place. */
type Listener = (event: ViewEvent, seq: number) => void

/** Text as it arrives, from the worker of a run to those who watch it in the same process. Stored nowhere. */
export class LiveText {
  private readonly listeners = new Map<string, Set<Listener>>()
  /** What has come of the text that is being written: who begins to watch in the middle of it is not given the rest alone. */
  private readonly soFar = new Map<string, { text: string; seq: number }>()

  emit(run: string, event: ViewEvent, seq: number): void {
    if (event.type === 'text.delta') this.keep(run, event.text, seq)
    else this.soFar.delete(run)
    for (const listener of this.listeners.get(run) ?? []) listener(event, seq)
  }

  /** Nobody works on the run here any more. */
  forget(run: string): void {
    this.soFar.delete(run)
  }

  listen(run: string, listener: Listener): () => void {
    const soFar = this.soFar.get(run)
    if (soFar) listener({ type: 'text.delta', text: soFar.text }, soFar.seq)
    const set = this.listeners.get(run) ?? new Set()
    this.listeners.set(run, set.add(listener))
    return () => {
      set.delete(listener)
      if (set.size === 0) this.listeners.delete(run)
    }
  }

  private keep(run: string, text: string, seq: number): void {
    const soFar = this.soFar.get(run)
    this.soFar.set(run, { text: soFar?.seq === seq ? soFar.text + text : text, seq })
  }
}
