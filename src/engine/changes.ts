/** Tells when something may have changed. What comes between two looks is not missed. */
export class Changes {
  private dirty = true
  private wake: (() => void) | undefined
  private readonly unlisten: () => void

  /** `listen` is given what to call at each change, and gives what ends that. */
  constructor(listen: (mark: () => void) => () => void) {
    this.unlisten = listen(() => this.mark())
  }

  mark(): void {
    this.dirty = true
    this.wake?.()
  }

  /** Resolves at the first call, and then when something has changed since. Rejects with the signal's reason. */
  async next(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (!this.dirty) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const onAbort = () => reject(signal?.reason)
      this.wake = resolve
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        await promise
      } finally {
        signal?.removeEventListener('abort', onAbort)
        this.wake = undefined
      }
    }
    this.dirty = false
  }

  close(): void {
    this.unlisten()
  }
}
