import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/**
 * A file of lines, one JSON value each, written so that the end of the process loses none that was: a line is what the
 * world outside of a process has seen of it.
 */
export class Lines<T> {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  add(line: T): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`, { flag: 'a', flush: true })
  }

  all(): T[] {
    if (!existsSync(this.#path)) return []
    const lines = readFileSync(this.#path, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as T)
  }
}
