import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The command that runs the command line from its sources, so that no test sees a stale build. */
export const querentCommand = [process.execPath, '--conditions=querent-source', join(root, 'src/cli/main.ts')]

/** What a process said, and how it ended. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  /** What is piped in. Left out: a closed pipe. */
  stdin?: string
  env?: Record<string, string | undefined>
}

/** A folder with a database of its own and the agents of fixtures/config.ts. It is removed when the test ends. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'cli-'))
  private readonly children = new Set<ChildProcess>()

  constructor() {
    const config = import.meta.resolve('./fixtures/config.ts')
    writeFileSync(join(this.folder, 'querent.config.mjs'), `export { default } from '${config}'\n`)
    onTestFinished(async () => {
      for (const child of this.children) await kill(child)
      rmSync(this.folder, { recursive: true, force: true })
    })
  }

  /** Makes packages of the repository, and itself, importable from files of the folder. Their modules are ESM. */
  install(...packages: string[]): void {
    mkdirSync(join(this.folder, 'node_modules'))
    for (const name of packages) {
      const target = name === 'querent' ? root : join(root, 'node_modules', name)
      symlinkSync(target, join(this.folder, 'node_modules', name))
    }
    this.write('package.json', '{ "type": "module" }')
  }

  /** Writes a file into the folder, and gives its path. */
  write(name: string, text: string): string {
    writeFileSync(join(this.folder, name), text)
    return join(this.folder, name)
  }

  /** Runs `querent …` to its end. */
  querent(args: string[], options: RunOptions = {}): Promise<Ended> {
    return this.run([...querentCommand, ...args], options)
  }

  /** Runs a file of the repository, from its sources. */
  node(args: string[], options: RunOptions = {}): Promise<Ended> {
    return this.run([process.execPath, '--conditions=querent-source', ...args], options)
  }

  /** Runs a line as a shell would, with `querent` as a command. */
  shell(line: string): Promise<Ended> {
    const command = querentCommand.map((word) => `'${word}'`).join(' ')
    return this.run(['/bin/sh', '-c', `querent() { ${command} "$@"; }\n${line}`])
  }

  private run(command: string[], { stdin = '', env }: RunOptions = {}): Promise<Ended> {
    const child = this.spawn(command, env)
    child.stdin?.end(stdin)
    return ended(child)
  }

  /** Starts a process in the folder, as the leader of its group. */
  spawn(command: string[], env: RunOptions['env'] = {}): ChildProcess {
    const [program = '', ...args] = command
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...process.env, CI: '1', ...env },
      stdio: 'pipe',
      detached: true,
    })
    this.children.add(child)
    // Who writes to a process that has ended hears of it from its exit code.
    child.stdin?.on('error', () => undefined)
    return child
  }

  /** Starts a run that parks, and gives its id and what was printed. */
  async park(questions: object[], text?: string): Promise<{ run: string; printed: string }> {
    const { code, stdout, stderr } = await this.querent(['run', 'asker', JSON.stringify({ text, questions })])
    const run = /run_[0-9a-z]+/.exec(stdout)?.[0]
    if (code !== 75 || !run) throw new Error(`The run did not park (${code}): ${stdout}${stderr}`)
    return { run, printed: stdout }
  }
}

async function ended(child: ChildProcess): Promise<Ended> {
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}

/** Kills a process and what it started, as a power cut would. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  process.kill(-(child.pid as number), 'SIGKILL')
  await closed
}

/** Resolves when a process has printed what matches; rejects if it ends before. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
  let seen = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    seen += chunk
    const match = pattern.exec(seen)
    if (match) resolve(match)
  })
  child.once('close', () => reject(new Error(`The process ended without printing ${pattern}: ${seen}`)))
  return promise
}
