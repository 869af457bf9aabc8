import type { Helper } from '../core/helper.ts'
import type { RunView } from '../core/view.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Io } from './io.ts'
import { jsonText } from './json-text.ts'
import { type Opened, open } from './open.ts'
import { Output } from './output.ts'
import type { Called } from './print-ask.ts'

/** The options that every command has. */
export interface CommonOptions extends Called {
  json?: boolean
}

/** What a command works with. */
export interface Command extends Opened {
  io: Io
  called: Called
  json: boolean
  output: Output
  /** The id of the person who acts. */
  person: string
}

/** Opens what the options name, lets a command work with it, and closes it whatever happens. */
export async function withCommand(
  io: Io,
  options: CommonOptions,
  run: (command: Command) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { config, database, as, json = false } = options
  const called: Called = { config, database, as }
  const opened = await open(called, io)
  try {
    return await run({ ...opened, io, called, json, output: new Output(io.stdout), person: as ?? 'local' })
  } finally {
    await opened.engine.close()
  }
}

/** Prints one JSON value. */
export function printJson({ io }: Command, value: unknown): void {
  io.stdout.write(`${jsonText(value)}\n`)
}

/** A run as its person sees it, and what they do with it. @throws QuerentError T0001. */
export async function helperOf(
  { engine, engineFor, person }: Command,
  run: string,
): Promise<{ helper: Helper; view: RunView }> {
  const { agent } = await engine.runs.get(run)
  const helper = engineFor(agent).as({ id: person }).agent(agent)
  // Asked as the person: what belongs to somebody else is not there for them.
  return { helper, view: await helper.run(run) }
}
