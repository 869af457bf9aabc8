import { readFileSync } from 'node:fs'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { keepAlive } from '../core/ambient.ts'
import type { CommonOptions } from './command.ts'
import { answer } from './commands/answer.ts'
import { asks } from './commands/asks.ts'
import { doctor } from './commands/doctor.ts'
import { eject, ejectable } from './commands/eject.ts'
import { migrate } from './commands/migrate.ts'
import { refuse } from './commands/refuse.ts'
import { run } from './commands/run.ts'
import { runs } from './commands/runs.ts'
import { serve } from './commands/serve.ts'
import { show } from './commands/show.ts'
import { worker } from './commands/worker.ts'
import { demo } from './demo/demo.ts'
import { type ExitCode, exit } from './exit-codes.ts'
import type { Io } from './io.ts'
import { jsonText } from './json-text.ts'
import { errorText, errorValue } from './print-error.ts'
import { UsageError } from './usage-error.ts'

/** Runs one command and gives the exit code: 0 fine, 1 error, 2 wrong usage, 75 parked, 130 after Ctrl-C. */
export async function commandLine(argv: readonly string[], io: Io): Promise<ExitCode> {
  const letGo = keepAlive()
  let code: ExitCode = exit.fine
  const program = programOf(io, async (options, command) => {
    code = await reported(io, options, command)
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    // Commander has said what is wrong; to ask for help is no error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.fine : exit.usage
    throw error
  } finally {
    letGo()
  }
}

async function reported(io: Io, options: CommonOptions, command: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await command()
  } catch (error) {
    const usage = error instanceof UsageError
    if (options.json) io.stderr.write(`${jsonText(errorValue(error))}\n`)
    else io.stderr.write(usage ? `error: ${error.message}\n` : `${errorText(error, options)}\n`)
    return usage ? exit.usage : exit.error
  }
}

/** Runs a command and keeps its exit code. */
type Act = (options: CommonOptions, command: () => Promise<ExitCode>) => Promise<void>

function programOf(io: Io, act: Act): Command {
  const program = new Command('querent')
    .description('Run AI agents that can stop and ask a person.')
    .version(packageVersion(), '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .showHelpAfterError('(--help shows what there is)')
    .helpCommand(true)
  addDemo(program, io, act)
  addRun(program, io, act)
  addServe(program, io, act)
  addOperating(program, io, act)
  addAnswering(program, io, act)
  addLists(program, io, act)
  addEject(program, io, act)
  return program
}

function addDemo(program: Command, io: Io, act: Act): void {
  program
    .command('demo')
    .description('an agent asks, the run parks, you answer, it goes on; without a terminal it plays you too')
    .option('--base-url <url>', 'a model server that speaks OpenAI Chat Completions')
    .option('--model <name>', 'the name of the model (default: by OPENAI_API_KEY or ANTHROPIC_API_KEY, else a script)')
    .action((options) => act({}, () => demo(io, options)))
}

function addRun(program: Command, io: Io, act: Act): void {
  withCommon(program.command('run'))
    .description('start a run and work on it here; you answer what it asks')
    .argument('<agent>', 'the name of an agent in the config')
    .argument('[input...]', 'what you say to it (default: what is piped in)')
    .action((agent, words, options) => act(options, () => run(io, agent, words, options)))
}

function addServe(program: Command, io: Io, act: Act): void {
  withCommon(program.command('serve'))
    .description('serve the inbox page and the API, and work on runs, in one process')
    .option('--port <port>', 'where to listen (default: PORT, or 4000)', portNumber)
    .option('--host <host>', 'on which address; other than loopback needs QUERENT_TOKEN', '127.0.0.1')
    .action((options) => act(options, () => serve(io, options)))
}

function addOperating(program: Command, io: Io, act: Act): void {
  withCommon(program.command('worker'))
    .description('work on the runs of a config, and serve nothing; as many as you like on one Postgres')
    .action((options) => act(options, () => worker(io, options)))
  withCommon(program.command('migrate'))
    .description('bring the database to the schema of this code; any process does so at its first use')
    .option('--check', 'only say how far it is; exit 1 where it is behind')
    .action((options) => act(options, () => migrate(io, options)))
}

function addAnswering(program: Command, io: Io, act: Act): void {
  withAddress(program.command('answer'))
    .description('answer an ask of a run, and let the run go on')
    .option('--choose <label...>', 'one of the choices; several where several may be given')
    .option('--text <text>', 'a text; beside choices, one of your own')
    .option('--data <json>', 'any answer, as JSON')
    .option('--approve', 'approve a call')
    .action((id, options) => act(options, () => answer(io, id, options)))
  withAddress(program.command('refuse'))
    .description('refuse an ask of a run, and let the run go on')
    .option('--reason <text>', 'why; the agent is told')
    .action((id, options) => act(options, () => refuse(io, id, options)))
}

function addLists(program: Command, io: Io, act: Act): void {
  withPages(withServer(withCommon(program.command('asks'))))
    .description('list what waits for you')
    .action((options) => act(options, () => asks(io, options)))
  withPages(withServer(withCommon(program.command('runs'))))
    .description('list the runs of this database, newest first')
    .addOption(new Option('--status <status>', 'only these').choices(statuses))
    .action((options) => act(options, () => runs(io, options)))
  withCommon(program.command('show'))
    .description('show the log of a run, step by step')
    .argument('<run>', 'the id of the run')
    .action((id, options) => act(options, () => show(io, id, options)))
  withCommon(program.command('doctor'))
    .description('name the open asks that the agents as they are now could not resume; exit 1 if there are any')
    .action((options) => act(options, () => doctor(io, options)))
}

function addEject(program: Command, io: Io, act: Act): void {
  program
    .command('eject')
    .description('copy an extension into ./extensions, to be changed there')
    .addArgument(new Argument('<extension>', 'which one').choices(Object.keys(ejectable)))
    .action((name) => act({}, () => eject(io, name)))
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

const statuses = ['ready', 'working', 'waiting', 'done', 'failed', 'stopped']

function withCommon(command: Command): Command {
  return command
    .option('--config <file>', 'agents and store (default: querent.config.ts here)')
    .option('--database <file|url>', 'a SQLite file or postgres://…, in place of the store (or QUERENT_DATABASE)')
    .option('--as <id>', 'who you are (default: local)')
    .option('--json', 'print JSON, ask nothing')
}

function withServer(command: Command): Command {
  return command.addOption(
    new Option('--url <url>', 'a server, in place of a database; QUERENT_TOKEN says who you are').conflicts([
      'config',
      'database',
      'as',
    ]),
  )
}

function withAddress(command: Command): Command {
  return withServer(withCommon(command))
    .argument('<run>', 'the id of the run')
    .option('--step <step>', 'which ask, such as "question 1.1" (default: the only open one)')
    .option('--repeat <round>', 'its round, from 1', wholeNumber)
    .option('--n <n>', 'which ask of its step, from 1', wholeNumber)
    .option('--no-work', 'store it, and let another process go on with the run')
}

function withPages(command: Command): Command {
  return command
    .option('--limit <count>', 'how many at once, at most 200 (default: 50)', wholeNumber)
    .option('--after <cursor>', 'go on behind a former list')
}

function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new InvalidArgumentError('Give a number from 0 to 65535.')
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a whole number above 0.')
}
