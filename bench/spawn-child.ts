import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Order } from './child.ts'
import type { Figures } from './phase.ts'

const longestMs = 15 * 60_000

/** Runs one measurement in a process of its own. Rejects with what that process said where it failed. */
export function runChild(order: Order): Promise<Figures> {
  return figuresOf([process.execPath, ...childArguments(order)])
}

/** Runs a script of `extras/` in a process of its own; flags of Node go before it. */
export function runScript(script: string[]): Promise<Figures> {
  return figuresOf([process.execPath, ...process.execArgv, ...script])
}

export const canTrace = ['/usr/bin/strace', '/usr/local/bin/strace'].some(existsSync)

/** How often the process of one measurement, and those it starts, waited for the disk. */
export async function countFsyncs(order: Order): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'querent-bench-trace-'))
  const report = join(folder, 'report')
  try {
    const strace = [
      'strace',
      '-f',
      '-c',
      '-U',
      'name,calls',
      '-e',
      'trace=fsync,fdatasync,sync_file_range',
      '-o',
      report,
    ]
    await figuresOf([...strace, process.execPath, ...childArguments(order)])
    const lines = readFileSync(report, 'utf8').matchAll(/^\s*(?:fsync|fdatasync|sync_file_range)\s+(\d+)/gm)
    return [...lines].reduce((sum, [, calls]) => sum + Number(calls), 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function childArguments(order: Order): string[] {
  return [...process.execArgv, join(import.meta.dirname, 'child.ts'), JSON.stringify(order)]
}

function figuresOf([command = '', ...args]: string[]): Promise<Figures> {
  return new Promise((resolve, reject) => {
    // A group of its own: what hangs is ended with all that it started.
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    running.add(child.pid)
    const timer = setTimeout(() => endGroup(child.pid), longestMs)
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      running.delete(child.pid)
      endGroup(child.pid)
      const line = output.split('\n').findLast((each) => each.startsWith('{"figures":'))
      if (code === 0 && line !== undefined) resolve((JSON.parse(line) as { figures: Figures }).figures)
      else reject(new Error(reasonOf(errors || output) || `It ended with ${code ?? signal}.`))
    })
  })
}

const running = new Set<number | undefined>()

/** Ends all measurements that go on, with what they started. */
export function endRunning(): void {
  for (const pid of running) endGroup(pid)
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended, with all that it started.
  }
}

/** The line that says what went wrong, without its stack. */
function reasonOf(errors: string): string {
  const lines = errors.split('\n').map((line) => line.trim())
  return lines.find((line) => /^(\w+)?Error\b.*:/.test(line)) ?? lines.findLast((line) => line !== '') ?? ''
}
