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
  /** `path`: where it was typed. What was wrong there is not known to be wrong any more. */
  change(draft: Draft, path?: string): void
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
  const underWay = useRef(new Set<string>())
  const fresh = useMemo(
    (): AskState => ({ draft: draftOf(drafts?.get(ask)), isSending: false, failures: 0 }),
    [ask, drafts],
  )
  const state = states.get(ask) ?? fresh

  const patch = (change: Partial<AskState>) =>
    setStates((all) => new Map(all).set(ask, { ...(all.get(ask) ?? fresh), ...change }))
  const fail = (problem: Problem) =>
    setStates((all) => {
      const now = all.get(ask) ?? fresh
      return new Map(all).set(ask, { ...now, isSending: false, problem, failures: now.failures + 1 })
    })

  return {
    ...state,
    change(draft, path) {
      drafts?.set(ask, draft)
      patch({ draft, problem: path === undefined ? state.problem : without(state.problem, path) })
    },
    reject: fail,
    async send(end, request, problemOf) {
      if (underWay.current.has(ask) || state.end) return
      underWay.current.add(ask)
      patch({ isSending: true, problem: undefined })
      try {
        await request()
        drafts?.set(ask, undefined)
        patch({ isSending: false, end })
      } catch (error) {
        fail(problemOf(error))
      } finally {
        underWay.current.delete(ask)
      }
    },
  }
}

/** A problem without what was wrong at a place or below; nothing where nothing else was. */
function without(problem: Problem | undefined, path: string): Problem | undefined {
  if (!problem || problem.issues.length === 0) return problem
  const issues = problem.issues.filter((issue) => issue.path !== path && !issue.path.startsWith(`${path}/`))
  return issues.length > 0 ? { ...problem, issues } : undefined
}
