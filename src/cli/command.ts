import { createClient } from '../client.ts'
import type { Helper, PersonHandle } from '../core/helper.ts'
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

/** Where a command says what it has to say, and how it was called. */
export interface Printing {
  io: Io
  called: Called
  json: boolean
  output: Output
}

/** What a command works with. */
export interface Command extends Opened, Printing {
  /** The id of the person who acts. */
  person: string
}

/** What a command works with that acts for a person, on a database or over a server. */
export interface Desk extends Printing {
  person: PersonHandle
  /** Who that is, as it is said to them. */
  name: string
  /** On a database: what works on its runs. */
  local?: Command
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

/** The same for a command that acts for a person: with `--url` over a server, as whoever `QUERENT_TOKEN` says. */
export async function withDesk(
  io: Io,
  options: CommonOptions,
  run: (desk: Desk) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { url, json = false } = options
  if (url === undefined) {
    return withCommand(io, options, (command) => {
      const { person: name, engine } = command
      return run({ ...command, person: engine.as({ id: name }), name, local: command })
    })
  }
  const token = io.env.QUERENT_TOKEN
  const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {})
  const person = createClient({ url, headers, clock: io.clock })
  return run({ io, called: { url }, json, output: new Output(io.stdout), person, name: 'you' })
}

/** Prints one JSON value. */
export function printJson({ io }: Printing, value: unknown): void {
  io.stdout.write(`${jsonText(value)}\n`)
}

/** What the person of a command does with an agent's runs, whether the agent is here or not. */
export function helperOf({ engineFor, person }: Command, agent: string): Helper {
  return engineFor(agent).as({ id: person }).agent(agent)
}
