import { QuerentError, randomId } from '../protocol/core.ts'

/**
 * The ids of answers of which nothing was heard. The same answer given again gets the same id: if it had arrived the first
 * time, the server says so, and not that the ask is settled already.
 */
export class AnswerIds {
  private readonly unheard = new Map<string, string>()

  /** Sends an answer with its own id, or with one made for what it says. */
  async using<T>(given: string | undefined, says: unknown, send: (id: string) => Promise<T>): Promise<T> {
    if (given !== undefined) return send(given)
    const key = JSON.stringify(says)
    const id = this.unheard.get(key) ?? randomId('answer')
    this.unheard.set(key, id)
    try {
      const heard = await send(id)
      this.unheard.delete(key)
      return heard
    } catch (error) {
      if (error instanceof QuerentError && !error.is('T3004')) this.unheard.delete(key)
      throw error
    }
  }
}
