import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { Io } from '../../src/cli/io.ts'
import { systemClock } from '../../src/core/ambient.ts'

/** The keys that tests press. */
export const key = { enter: '\r', escape: '\u001B', down: '\u001B[B', space: ' ', ctrlC: '\u0003', ctrlD: '\u0004' }

/** A terminal of so many rows and columns: what is typed goes in, what is printed can be waited for. */
export class FakeTerminal {
  readonly io: Io
  /** Whether the terminal was in raw mode, change by change. */
  readonly rawModes: boolean[] = []
  private readonly stdin = new PassThrough()
  private printed = ''
  private seen = 0
  private waiting: (() => void) | undefined

  constructor({ rows = 24, columns = 80 } = {}) {
    const stdout = new PassThrough()
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.printed += stripVTControlCharacters(chunk)
      this.waiting?.()
    })
    this.io = {
      stdin: Object.assign(this.stdin, { isTTY: true, setRawMode: (on: boolean) => this.rawModes.push(on) }),
      stdout: Object.assign(stdout, { isTTY: true, rows, columns }),
      stderr: stdout,
      env: {},
      folder: '.',
      clock: systemClock,
      onInterrupt: () => () => undefined,
    }
  }

  /** Types keys as they are, in one piece. */
  type(keys: string): void {
    this.stdin.write(keys)
  }

  /** Resolves with what was printed since the last call, when that ends in what is waited for. */
  async until(pattern: RegExp): Promise<string> {
    for (;;) {
      const fresh = this.printed.slice(this.seen)
      if (pattern.test(fresh)) {
        this.seen = this.printed.length
        return fresh
      }
      await new Promise<void>((resolve) => {
        this.waiting = resolve
      })
    }
  }

  /** Waits for a prompt, then types. */
  async answer(pattern: RegExp, keys: string): Promise<string> {
    const shown = await this.until(pattern)
    this.type(keys)
    return shown
  }
}
