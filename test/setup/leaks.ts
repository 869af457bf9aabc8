/**
 * Runs around every test file. A file that leaves something behind fails, by name: a child process, a server, a
 * socket, a timer that keeps a process alive, an open file or a folder. A leak here is a leak in somebody's process.
 */
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** Resources that nothing but a test keeps. Others (pipes to the runner, file reads) come and go by themselves. */
const watched = [
  'ProcessWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'PipeServerWrap',
  'FSEventWrap',
  'StatWatcher',
  'Timeout',
]

// Whatever a test, or a process it starts, puts into the temporary folder is put here, so that it can be found again.
const parent = tmpdir()
const folder = mkdtempSync(join(parent, 'querent-test-'))
// A database server that drops its rights must be able to walk through.
chmodSync(folder, 0o755)
process.env.TMPDIR = folder

const before = count(resources())

function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => watched.includes(name))
}

function count(names: string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Files of the test's own folder that this process still holds open, removed ones too. Linux only; elsewhere none. */
function openFiles(): string[] {
  try {
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      const target = targetOf(`/proc/self/fd/${fd}`)
      return target.startsWith(folder) ? [`open file ${target.slice(folder.length + 1)}`] : []
    })
  } catch {
    return []
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return '' // The descriptor with which the list itself was read.
  }
}

/** npm puts a cache of compiled code there, for whoever comes next. */
const kept = ['node-compile-cache']

function left(): string[] {
  const found = [...count(resources())].flatMap(([name, now]) => (now > (before.get(name) ?? 0) ? [name] : []))
  const temporary = readdirSync(folder).filter((name) => !kept.includes(name))
  return [...found, ...openFiles(), ...temporary.map((name) => `temporary ${name}`)]
}

afterAll(async () => {
  // What was closed is gone some turns of the event loop later, a killed child when the system has said so.
  for (let turns = 0; turns < 40 && left().length > 0; turns++) await wait(50)
  const found = left()
  process.env.TMPDIR = parent
  rmSync(folder, { recursive: true, force: true })
  if (found.length > 0) throw new Error(`This test file left behind: ${found.join(', ')}. Close, end or remove it.`)
})
