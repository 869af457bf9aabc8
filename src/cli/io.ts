import { type Clock, systemClock } from '../core/ambient.ts'

/** Where keys come from. Only a terminal has `isTTY` and a raw mode. */
export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean
  setRawMode?(on: boolean): unknown
}

/** Where text goes. Only a terminal has `isTTY`, `columns` and `rows`. */
export type Screen = NodeJS.WritableStream & {
  isTTY?: boolean
  columns?: number
  rows?: number
}

/** What surrounds the command line. Tests give their own. */
export interface Io {
  stdin: Input
  stdout: Screen
  stderr: NodeJS.WritableStream
  env: Record<string, string | undefined>
  folder: string
  clock: Clock
  /** Calls back on Ctrl-C where the terminal is not in raw mode. The result ends that. */
  onInterrupt(callback: () => void): () => void
}

/** The surroundings of this process. */
export function processIo(): Io {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    folder: process.cwd(),
    clock: systemClock,
    onInterrupt(callback) {
      process.on('SIGINT', callback)
      process.on('SIGTERM', callback)
      return () => {
        process.off('SIGINT', callback)
        process.off('SIGTERM', callback)
      }
    },
  }
}

/** Whether somebody sits there who can be asked. Where not, nothing may wait for a key. */
export function hasPerson(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true && !isSet(io.env.CI)
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}
