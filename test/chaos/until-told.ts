import { setTimeout as wait } from 'node:timers/promises'
import { type Code, QuerentError } from 'querent'

/** What somebody was told of a call. `again`: it was made more than once, since nobody knew whether it had arrived. */
export type Told<T> = { value: T; code?: undefined; again: boolean } | { value?: undefined; code: Code; again: boolean }

/** Where the database is away for longer than a store tries a call again, whoever calls tries again. */
const comesBack: Code[] = ['T3003', 'T1003']

/** Makes a call that is harmless to repeat until it is known what became of it. */
export async function untilTold<T>(act: () => Promise<T>): Promise<Told<T>> {
  for (let again = false; ; again = true) {
    try {
      return { value: await act(), again }
    } catch (error) {
      if (!(error instanceof QuerentError)) throw error
      if (!comesBack.includes(error.code)) return { code: error.code, again }
      await wait(200)
    }
  }
}
