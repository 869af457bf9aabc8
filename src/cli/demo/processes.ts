import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Ask } from '../../core/ask.ts'
import type { RunEvent } from '../../core/event.ts'
import type { Engine } from '../../engine/engine.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { open } from '../open.ts'

const main = join(import.meta.dirname, '..', `main${extname(import.meta.filename)}`)

/** The commands of the demo, each a real process in the demo's folder. */
export class Processes {
  private readonly io: Io
  private readonly folder: string
  private readonly env: Io['env']

  constructor(io: Io, folder: string, env: Io['env']) {
    this.io = io
    this.folder = folder
    this.env = env
  }

  /** Runs a command with this terminal. Ctrl-C is its own to handle. */
  async attached(args: string[]): Promise<ExitCode> {
    const listening = this.io.onInterrupt(() => undefined)
    try {
      return await codeOf(this.spawn(args, 'inherit'))
    } finally {
      listening()
    }
  }

  /** Runs a command and shows it, its output and its end. */
  async shown(args: string[]): Promise<ExitCode> {
    const child = this.spawn(args, 'pipe')
    const ended = codeOf(child)
    this.print(`\n$ querent ${args.map(quoted).join(' ')}   # process ${child.pid}`)
    if (child.stdout) for await (const line of createInterface({ input: child.stdout })) this.print(`  ${line}`)
    const code = await ended
    const parked =
      code === exit.parked ? ' The run is parked: nothing of it is in memory, all of it is in the file.' : ''
    this.print(`# process ${child.pid} ended with ${code}.${parked}`)
    return code
  }

  /** What waits, as this process reads it from the file. */
  asks(): Promise<Ask[]> {
    return this.read((engine) => engine.as({ id: 'local' }).asks())
  }

  /** The log of the run. */
  log(): Promise<RunEvent[]> {
    return this.read(async (engine) => {
      const [run] = (await engine.runs.list()).items
      return run ? engine.runs.log(run.run) : []
    })
  }

  print(line: string): void {
    this.io.stdout.write(`${line}\n`)
  }

  private async read<T>(use: (engine: Engine) => Promise<T>): Promise<T> {
    const { engine } = await open({ database: join(this.folder, 'querent.db') }, this.io)
    try {
      return await use(engine)
    } finally {
      await engine.close()
    }
  }

  private spawn(args: string[], stdio: 'inherit' | 'pipe'): ChildProcess {
    return spawn(process.execPath, [...process.execArgv, main, ...args], {
      cwd: this.folder,
      env: this.env,
      stdio: stdio === 'inherit' ? 'inherit' : ['ignore', 'pipe', 'inherit'],
    })
  }
}

async function codeOf(child: ChildProcess): Promise<ExitCode> {
  const [code] = (await once(child, 'exit')) as [ExitCode | null]
  return code ?? exit.error
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
