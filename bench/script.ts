/** What every system asks, and what is answered. */
export const question = { question: 'Size?', choices: ['S', 'M', 'L'] }
export const answer = 'M'
export const request = 'I need a T-shirt'
export const done = 'Ordered, size M.'

/**
 * What the fake model of every system says: it asks `asks` times and then ends. It answers at once. It refuses to go on
 * without the answer it asked for, so that a system that loses one cannot look fast.
 */
export class Script {
  /** Calls of the model by this process. */
  calls = 0
  readonly asks: number
  /** Told when a call begins. */
  onCall: (asked: number) => void = () => undefined

  constructor(asks: number) {
    this.asks = asks
  }

  /** `asked`: questions that the prompt has; `answered`: the newest answer in it. */
  next(asked: number, answered: unknown): 'ask' | 'end' {
    this.calls += 1
    this.onCall(asked)
    if (asked > 0 && answered !== answer) {
      throw new Error(`The model was called with the answer ${JSON.stringify(answered)}, not "${answer}".`)
    }
    return asked < this.asks ? 'ask' : 'end'
  }
}
