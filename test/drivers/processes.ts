import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A process under test. */
export interface Child {
  /** Its first line, as JSON. */
  said: Promise<Record<string, unknown>>
  /** Ends it with SIGKILL, and resolves when it is gone. */
  kill(): Promise<void>
}

/** A folder for the processes of one test, and the processes. What is left of them ends with it. */
export function processes() {
  const folder = mkdtempSync(join(tmpdir(), 'querent-'))
  const children: Child[] = []
  onTestFinished(async () => {
    await Promise.all(children.map((child) => child.kill()))
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    /** The lines of a file there; none where it is not there yet. */
    linesOf(name: string): string[] {
      try {
        return readFileSync(join(folder, name), 'utf8').trim().split('\n')
      } catch {
        return []
      }
    },
    run(program: string, ...args: string[]): Child {
      const child = childOf(['--conditions=querent-source', '--no-warnings', program, ...args], folder)
      children.push(child)
      return child
    },
  }
}

function childOf(args: string[], cwd: string): Child {
  const child = spawn(process.execPath, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const gone = once(child, 'close')
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const firstLine = async () => {
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
    throw new Error(`The process ended before it said anything: ${errors}`)
  }
  const said = firstLine()
  // Who kills a process in the middle does not wait for it.
  said.catch(() => undefined)
  return {
    said,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
