import { useMemo, useRef, useState } from 'react'
import { type Draft, draftOf } from './draft.ts'
import type { Drafts } from './drafts.ts'
import type { Problem } from './problem.ts'

/** How it ended here. */
export type End = 'answered' | 'approved' | 'refused'

/** What the form knows of one ask. */
export interface AskState {
  draft: Draft
  isSending: boolean
  problem?: Problem | undefined
  /** How often something went wrong. */
  failures: number
  end?: End
}

/** The state of one ask, and what changes it. */
export interface AskControl extends AskState {
  /**
   * Changes the draft as it is by then. `path`: where something was typed; what was wrong there is not known to be wrong any
   * more. The same function over renders.
   */
  change(update: (draft: Draft) => Draft, path?: string): void
  /** Something is wrong that was found before anything was sent. */
  reject(problem: Problem): void
  /** Sends, once at a time: a second click while the first is under way does nothing. */
  send(end: End, request: () => Promise<unknown>, problemOf: (error: unknown) => Problem): Promise<void>
}

/**
 * The states of all asks that this form has shown, by id: an answer under way ends at its own ask, whichever is shown by
 * then, and whoever comes back finds what they had typed.
 */
export function useAskState(ask: string, drafts: Drafts | undefined): AskControl {
  const [states, setStates] = useState<ReadonlyMap<string, AskState>>(new Map())
  // What is true by now: two changes may come between two renders.
  const latest = useRef(states)
  const fresh = useMemo(
    (): AskState => ({ draft: draftOf(drafts?.get(ask)), isSending: false, failures: 0 }),
    [ask, drafts],
  )
  const actions = useMemo(() => {
    const now = () => latest.current.get(ask) ?? fresh
    const patch = (change: Partial<AskState>) => {
      latest.current = new Map(latest.current).set(ask, { ...now(), ...change })
      setStates(latest.current)
    }
    const reject = (problem: Problem) => patch({ isSending: false, problem, failures: now().failures + 1 })
    return {
      reject,
      change(update: (draft: Draft) => Draft, path?: string) {
        const { draft, problem } = now()
        const next = update(draft)
        drafts?.set(ask, next)
        patch({ draft: next, problem: path === undefined ? problem : without(problem, path) })
      },
      async send(end: End, request: () => Promise<unknown>, problemOf: (error: unknown) => Problem) {
        if (now().isSending || now().end) return
        patch({ isSending: true, problem: undefined })
        try {
          await request()
          drafts?.set(ask, undefined)
          patch({ isSending: false, end })
        } catch (error) {
          reject(problemOf(error))
        }
      },
    }
  }, [ask, drafts, fresh])
  return { ...(states.get(ask) ?? fresh), ...actions }
}

/** A problem without what was wrong at a place or below; nothing where nothing else was. */
function without(problem: Problem | undefined, path: string): Problem | undefined {
  if (!problem || problem.issues.length === 0) return problem
  const issues = problem.issues.filter((issue) => issue.path !== path && !issue.path.startsWith(`${path}/`))
  return issues.length > 0 ? { ...problem, issues } : undefined
}
