/** One page of each origin holds it. */
const turn = 'querent.unseen-page'

/**
 * Which streams this page may have. Over HTTP/1.1 a browser opens six connections to one origin, in all of its tabs
 * together: one more request, and a page that loads is one, waits until a tab is closed. So a page that nobody sees lets
 * go of its runs, and of the lists as well; but one of them at a time keeps the lists, for whoever reads its title.
 */
export class Attention {
  private isSeen = true
  private hasTurn = false
  private readonly onChange: () => void
  private leaving: AbortController | undefined

  constructor(onChange: () => void) {
    this.onChange = onChange
  }

  get mayWatchRuns(): boolean {
    return this.isSeen
  }

  get mayWatchLists(): boolean {
    return this.isSeen || this.hasTurn
  }

  start(): void {
    if (typeof document === 'undefined') return
    document.addEventListener('visibilitychange', this.look)
    this.look()
  }

  stop(): void {
    if (typeof document === 'undefined') return
    document.removeEventListener('visibilitychange', this.look)
    this.leaveTurn()
    this.isSeen = true
  }

  private readonly look = (): void => {
    const isSeen = document.visibilityState !== 'hidden'
    if (isSeen === this.isSeen) return
    this.isSeen = isSeen
    if (isSeen) this.leaveTurn()
    else this.awaitTurn()
    this.onChange()
  }

  private awaitTurn(): void {
    const leaving = new AbortController()
    this.leaving = leaving
    const keep = () => {
      if (leaving.signal.aborted) return
      this.hasTurn = true
      this.onChange()
      return new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()))
    }
    // Without locks (a page over plain http) no unseen page keeps anything.
    navigator.locks?.request(turn, { signal: leaving.signal }, keep).catch(() => undefined)
  }

  private leaveTurn(): void {
    this.leaving?.abort()
    this.hasTurn = false
  }
}
