import type { Store } from '../store/store.ts'

/** The methods of a store that write, each one transaction. */
export const transitions = [
  'createRun',
  'claimRun',
  'renewClaim',
  'append',
  'parkRun',
  'giveBack',
  'finishRun',
  'settleAsk',
  'expireAsks',
  'addMessage',
  'stopRun',
  'retryRun',
  'eraseRun',
  'eraseEnded',
  'addNotifier',
  'removeNotifier',
  'takeOutbox',
  'ackOutbox',
] as const satisfies (keyof Store)[]

export type TransitionName = (typeof transitions)[number]

/** A place where a process may die: before a transition, or after it is on disk and before anybody heard so. */
export interface FaultPoint {
  transition: TransitionName
  when: 'before' | 'after'
  /** Counts the points of this store, from 1. */
  number: number
  /** After a transition: what it gave. */
  result?: unknown
}

/**
 * Wraps a store and calls back before and after every transition, so that a crash suite can count the points of a
 * scenario and end its process at the N-th. A callback that throws makes the transition reject: before it, nothing was
 * written; after it, all was. One that waits holds the transition up. Reads pass through.
 */
export function faultStore(store: Store, atPoint: (point: FaultPoint) => void | Promise<void>): Store {
  let number = 0
  const reach = async (point: Omit<FaultPoint, 'number'>) => {
    number += 1
    await atPoint({ ...point, number })
  }
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      const transition = transitions.find((each) => each === name)
      if (!transition) return value.bind(target)
      return async (...args: unknown[]) => {
        await reach({ transition, when: 'before' })
        const result: unknown = await value.apply(target, args)
        await reach({ transition, when: 'after', result })
        return result
      }
    },
  })
}
