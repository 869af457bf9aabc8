import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** Another process at work on a file: what it printed, and how it ended. */
export interface Worker {
  child: ChildProcess
  /** Resolves when it printed this line. */
  printed(line: string): Promise<void>
  /** Resolves with what it printed when it ended well, and rejects with its errors where not. */
  ended: Promise<string>
}

/** Starts a process that does one of the jobs in worker.ts. */
export function startWorker(job: string, path: string, ...args: string[]): Worker {
  const child = spawn(process.execPath, [script, job, path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  const waiting: { line: string; resolve(): void }[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    for (const each of waiting) if (output.split('\n').includes(each.line)) each.resolve()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = new Promise<string>((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${job} ended with ${code ?? signal}: ${output}${errors}`))
    })
  })
  // Whoever kills a worker does not wait for a good end of it.
  ended.catch(() => {})
  const printed = (line: string) =>
    Promise.race([
      new Promise<void>((resolve) => waiting.push({ line, resolve })),
      ended.then(() => Promise.reject(new Error(`${job} ended without printing ${line}: ${output}`))),
    ])
  return { child, printed, ended }
}
