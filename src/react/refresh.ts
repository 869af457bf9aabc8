import { QuerentError } from '../protocol/core.ts'

/** Something that is read again whenever it may have changed: one request at a time, and one more where it was asked for meanwhile. */
export class Refresh<T> {
  value: T | undefined
  refused: QuerentError | undefined
  private readonly read: () => Promise<T>
  private readonly onChange: () => void
  private state: 'idle' | 'reading' | 'stale' = 'idle'

  constructor(read: () => Promise<T>, onChange: () => void) {
    this.read = read
    this.onChange = onChange
  }

  ask(): void {
    if (this.state !== 'idle') {
      this.state = 'stale'
      return
    }
    this.state = 'reading'
    void this.run()
  }

  private async run(): Promise<void> {
    try {
      this.value = await this.read()
      this.refused = undefined
    } catch (error) {
      // No answer is no refusal: it is read again when the connection is there again.
      if (error instanceof QuerentError && !error.retry) this.refused = error
    }
    const isStale = this.state === 'stale'
    this.state = 'idle'
    this.onChange()
    if (isStale) this.ask()
  }
}
