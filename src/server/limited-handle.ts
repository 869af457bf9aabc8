import type { AgentRecord, Clock, Helper, PersonHandle, RunActions } from '../protocol/core.ts'
import { RateLimit } from './rate-limit.ts'

/** How much one person may do in a minute, and how many may come. */
export interface RateLimits {
  /** Starts and messages of a person: what has a model called. */
  startsPerMinute: number
  /** Answers and refusals of a person, those that did not fit among them. */
  answersPerMinute: number
  /** Anonymous persons made, all together: whoever sends no cookie is a new one, so none of them can be counted alone. */
  newcomersPerMinute: number
}

/** The counts of one server. */
export interface Rates {
  starts: RateLimit
  answers: RateLimit
  newcomers: RateLimit
}

export function ratesOf(clock: Clock, limits: RateLimits): Rates {
  return {
    starts: new RateLimit(clock, limits.startsPerMinute, 'starts and messages'),
    answers: new RateLimit(clock, limits.answersPerMinute, 'answers'),
    newcomers: new RateLimit(clock, limits.newcomersPerMinute, 'starts by people who are not known'),
  }
}

/** What a person does, no more often than they may, by whatever route. */
export function limitedHandle(handle: PersonHandle, person: string, { starts, answers }: Rates): PersonHandle {
  const counted =
    <A extends unknown[], T>(limit: RateLimit, act: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      limit.take(person)
      return act(...args)
    }
  const limited = <O>({ approve, refuse, say }: RunActions<O>) => ({
    approve: counted(answers, approve),
    refuse: counted(answers, refuse),
    say: counted(starts, say),
  })
  return {
    ...handle,
    agent<A extends AgentRecord>(name: A['name']): Helper<A> {
      const helper = handle.agent<A>(name)
      return { ...helper, ...limited(helper), start: counted(starts, helper.start) }
    },
    runs: { ...handle.runs, ...limited(handle.runs) },
  }
}
