import { text as readAll } from 'node:stream/consumers'
import { type Command, type CommonOptions, withCommand } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { UsageError } from '../usage-error.ts'
import { workOnRun } from '../work-on-run.ts'

/** `querent run`: starts a run as the local person and works on it here. */
export function run(io: Io, agent: string, words: string[], options: CommonOptions): Promise<ExitCode> {
  return withCommand(io, options, async (command) => {
    checkAgent(command, agent)
    const helper = command.engine.as({ id: command.person }).agent(agent)
    const started = await helper.start(await inputOf(io, words))
    if (!command.json) command.output.lines(`${agent} · ${started.run}`)
    return workOnRun(command, { helper, run: started.run })
  })
}

function checkAgent({ agents, has }: Command, agent: string): void {
  if (has(agent)) return
  const names = agents.map(({ name }) => name).join(', ')
  throw new UsageError(
    names === ''
      ? 'No agent is known without a config. Name one with --config FILE.'
      : `There is no agent "${agent}" in the config. Agents: ${names}.`,
  )
}

/** What was typed behind the agent's name, or else what is piped in. */
async function inputOf(io: Io, words: string[]): Promise<string> {
  if (words.length > 0) return words.join(' ')
  const piped = io.stdin.isTTY ? '' : (await readAll(io.stdin)).trim()
  if (piped !== '') return piped
  throw new UsageError('There is no input. Write it behind the name of the agent, or pipe it in.')
}
