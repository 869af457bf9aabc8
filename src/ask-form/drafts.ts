/**
 * Where drafts are kept, by the id of the ask. The form writes at every change and forgets what was sent
 * (`set(ask, undefined)`). What comes back is looked at before it is shown: it may be of another version. Must not throw.
 */
export interface Drafts {
  get(ask: string): unknown
  set(ask: string, draft: unknown): void
}

/** As much of `Storage` as drafts need. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** More than anybody leaves unsent. The oldest goes first. */
const maxDrafts = 50
/** Characters of one draft: an answer may have 256 KiB, and a browser gives all drafts some 5 MiB. */
const maxCharacters = 100_000

/**
 * Drafts in the browser's own storage, so that they are there after a reload. At most 50, of 100,000 characters each;
 * where there is no storage, or it is full, drafts last as long as the page.
 *
 * @param prefix Of the keys. One for each person who uses this browser keeps them apart.
 * @param storage Default: `localStorage`. With `sessionStorage` they go with the tab.
 */
export function localDrafts(prefix = 'querent.draft', storage: DraftStorage | undefined = storageOfPage()): Drafts {
  const unstored = new Map<string, unknown>()
  const index = `${prefix}s`
  const keyOf = (ask: string) => `${prefix}.${ask}`

  return {
    get(ask) {
      if (unstored.has(ask)) return unstored.get(ask)
      return parsed(attempt(() => storage?.getItem(keyOf(ask))))
    },
    set(ask, draft) {
      unstored.delete(ask)
      const text = draft === undefined ? undefined : JSON.stringify(draft)
      const isStored = attempt(() => {
        if (storage === undefined || (text !== undefined && text.length > maxCharacters)) return false
        const others = listIn(storage, index).filter((each) => each !== ask)
        const kept = text === undefined ? others : [...others, ask]
        for (const old of kept.splice(0, kept.length - maxDrafts)) storage.removeItem(keyOf(old))
        if (text === undefined) storage.removeItem(keyOf(ask))
        else storage.setItem(keyOf(ask), text)
        storage.setItem(index, JSON.stringify(kept))
        return true
      })
      if (isStored) return
      // What is stored of it is older than what is here.
      attempt(() => storage?.removeItem(keyOf(ask)))
      if (draft !== undefined) unstored.set(ask, draft)
    },
  }
}

/** Asks with drafts, oldest change first. */
function listIn(storage: DraftStorage, index: string): string[] {
  const list = parsed(storage.getItem(index))
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}

function parsed(text: string | null | undefined): unknown {
  return text === null || text === undefined ? undefined : attempt(() => JSON.parse(text) as unknown)
}

/** Reading `localStorage` throws where a browser blocks it; writing throws where it is full. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

function storageOfPage(): DraftStorage | undefined {
  return attempt(() => globalThis.localStorage)
}
