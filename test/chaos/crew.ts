import { setTimeout as wait } from 'node:timers/promises'
import { type Ended, type Running, start } from '../crash/process.ts'
import type { AnswererJob } from './answerer.ts'
import type { Random } from './random.ts'
import type { WorkerJob } from './worker.ts'

export interface CrewOptions {
  url: string
  folder: string
  random: Random
}

/** The processes on one database: workers, which die and freeze, and two who answer, which do not. */
export class Crew {
  readonly #options: CrewOptions
  readonly #workers = new Map<string, Running>()
  /** Those that have begun, and are not frozen. */
  readonly #moving = new Set<string>()
  readonly #answerers: Running[] = []
  #born = 0

  constructor(options: CrewOptions) {
    this.#options = options
  }

  async begin(workers: number): Promise<void> {
    const { url, folder, random } = this.#options
    for (const name of ['ann here', 'ann there']) {
      const job: AnswererJob = { url, folder, name, seed: random.between(1, 1e9), interferes: name === 'ann here' }
      this.#answerers.push(start('../chaos/answerer.ts', job))
    }
    const born = Array.from({ length: workers }, () => this.startWorker())
    await Promise.all([...born, ...this.#answerers.map((each) => each.printed('begun'))])
  }

  /** Half of the time on a machine of its own: then the others must wait for its lease, where it dies. */
  async startWorker(): Promise<void> {
    const { url, folder, random } = this.#options
    this.#born += 1
    const name = `worker ${this.#born}`
    const host = random.next() < 0.5 ? 'shared' : `machine-${this.#born}`
    const job: WorkerJob = { url, folder, name, host, seed: random.between(1, 1e9) }
    const worker = start('../chaos/worker.ts', job)
    this.#workers.set(name, worker)
    await worker.printed('begun')
    this.#moving.add(name)
  }

  /** Kills one with -9, and starts another in its place. */
  async kill(): Promise<string> {
    const [name, worker] = this.#choose()
    this.#workers.delete(name)
    worker?.child.kill('SIGKILL')
    await worker?.ended
    await this.startWorker()
    return name
  }

  /** Freezes one for a time, and starts another in its place. */
  async freeze(forMs: number, frozen: (name: string) => void): Promise<void> {
    const [name, worker] = this.#choose()
    worker?.child.kill('SIGSTOP')
    frozen(name)
    await this.startWorker()
    await wait(forMs)
    worker?.child.kill('SIGCONT')
    this.#moving.add(name)
  }

  #choose(): [string, Running | undefined] {
    const name = this.#options.random.of([...this.#moving])
    this.#moving.delete(name)
    return [name, this.#workers.get(name)]
  }

  /** Lets all of them come to their end, and gives what was wrong with it. */
  async end(): Promise<string[]> {
    const all = [...this.#answerers, ...this.#workers.values()]
    for (const { child } of all) child.stdin?.end()
    const ends = await Promise.all(all.map(({ ended }) => ended))
    return ends.flatMap(complaintsOf)
  }

  /** Ends whatever still runs. */
  async clear(): Promise<void> {
    const all = [...this.#answerers, ...this.#workers.values()]
    for (const { child } of all) child.kill('SIGKILL')
    await Promise.all(all.map(({ ended }) => ended))
  }
}

function complaintsOf({ code, signal, errors }: Ended): string[] {
  const end = code === 0 ? [] : [`a process ended with ${signal ?? code}`]
  return errors === '' ? end : [...end, errors]
}
