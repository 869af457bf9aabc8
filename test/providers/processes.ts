import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { RunView } from 'querent'
import { onTestFinished } from 'vitest'
import type { Dialect } from './dialects.ts'
import type { Command } from './run-process.ts'

const program = fileURLToPath(new URL('run-process.ts', import.meta.url))

/** A process that works on a run against a provider's server. */
export interface Child {
  /** The run as the process had it at rest. */
  atRest: Promise<RunView>
  /** Ends it with SIGKILL, and resolves when it is gone. */
  kill(): Promise<void>
}

/** Starts processes on one database, all with the same agent. What is left of them ends with the test. */
export function processesOf(dialect: Dialect, url: string, deliver: 'result' | 'message') {
  const folder = mkdtempSync(join(tmpdir(), 'querent-'))
  const path = join(folder, 'querent.db')
  const children: Child[] = []
  onTestFinished(async () => {
    await Promise.all(children.map((child) => child.kill()))
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    run(command: Command): Child {
      const options = ['--conditions=querent-source', '--no-warnings', program]
      const child = childOf([...options, dialect.name, url, path, deliver, JSON.stringify(command)])
      children.push(child)
      return child
    },
  }
}

function childOf(args: string[]): Child {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const gone = once(child, 'close')
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const firstLine = async () => {
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as RunView
    throw new Error(`The process ended before its run was at rest: ${errors}`)
  }
  const atRest = firstLine()
  // Who kills a process in the middle does not wait for it.
  atRest.catch(() => undefined)
  return {
    atRest,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
