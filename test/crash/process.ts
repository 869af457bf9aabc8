import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How a process ended, and what it printed. */
export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  output: string
  errors: string
}

/** A process at work. */
export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
  /** Resolves with the first line that begins so; rejects where the process ends without one. */
  printed(beginning: string): Promise<string>
  /** Writes a line to its standard input. */
  tell(line: string): void
}

/** Starts a program of this folder as a process of its own, on the sources. */
export function start(program: string, job: unknown): Running {
  const script = fileURLToPath(new URL(program, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=querent-source', script, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Hundreds of processes load the same sources: what one of them compiled, the others need not.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  })
  let output = ''
  let errors = ''
  const looks = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    for (const look of looks) look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  // A killed process does not read what it is told.
  child.stdin.on('error', () => {})
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, output, errors }))
  })
  return {
    child,
    ended,
    tell: (line) => void child.stdin.write(`${line}\n`),
    printed: (beginning) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const line = output
            .split('\n')
            .slice(0, -1)
            .find((each) => each.startsWith(beginning))
          if (line === undefined) return
          looks.delete(look)
          resolve(line)
        }
        looks.add(look)
        look()
        void ended.then(() => reject(new Error(`${program} ended without printing "${beginning}": ${output}${errors}`)))
      }),
  }
}

/** Runs a program to an end that is expected of it, and gives which it was. */
export async function run(
  program: string,
  job: unknown,
  expected: 'well' | 'SIGKILL' | 'either',
): Promise<'well' | 'SIGKILL'> {
  const { code, signal, output, errors } = await start(program, job).ended
  if (code === 0 && expected !== 'SIGKILL') return 'well'
  if (signal === 'SIGKILL' && expected !== 'well') return 'SIGKILL'
  const end = signal ?? (code === 13 ? '13: it waits for what will never come' : code)
  throw new Error(`${program} ${JSON.stringify(job)} was to end ${expected}, and ended ${end}.\n${output}${errors}`)
}

/** Does all of these, a few at a time. */
export async function inPool<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all([lane(), lane(), lane()])
  return results
}
