/** What surrounds a transition: the store's clock at that moment, and what it changed, for the hints after the commit. */
export interface Context {
  now: number
  /** Ids of runs. */
  changed: Set<string>
}
