import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExitCode, exit } from '../exit-codes.ts'
import { hasPerson, type Io } from '../io.ts'
import { configFile } from './config.ts'
import { playPerson } from './play-person.ts'
import { Processes } from './processes.ts'
import { baseUrlVariable, isInstalled, modelVariable, providerOf } from './real-model.ts'
import { stepLines } from './step-lines.ts'

export interface DemoOptions {
  baseUrl?: string
  model?: string
}

const input = 'I need a T-shirt'

/**
 * The main job, to look at: an agent asks three questions, then for leave to act, and each time the run parks. At a terminal you answer. Where
 * there is none, this plays the person too: one process starts the run and ends, another one answers, and so on.
 */
export async function demo(io: Io, options: DemoOptions): Promise<ExitCode> {
  const folder = mkdtempSync(join(tmpdir(), 'querent-demo-'))
  try {
    writeFileSync(join(folder, 'querent.config.mjs'), configFile)
    const env = await environment(io, options)
    const processes = new Processes(io, folder, env)
    return hasPerson(io) ? await withPerson(processes) : await alone(processes)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the processes of the demo are told, and what this one says about the model. */
async function environment(io: Io, { baseUrl, model }: DemoOptions): Promise<Io['env']> {
  const env = { ...io.env }
  if (baseUrl !== undefined) env[baseUrlVariable] = baseUrl
  if (model !== undefined) env[modelVariable] = model
  const provider = providerOf(env)
  if (!provider) io.stdout.write('The model is a script; it needs no key.\n')
  else if (provider.baseUrl || (await isInstalled(provider))) io.stdout.write(`The model is ${provider.model}.\n`)
  else {
    // A key that happens to be set must not end a demo that needs none.
    io.stdout.write(`The model is a script: for ${provider.model}, npm install ai ${provider.package}.\n`)
    delete env.OPENAI_API_KEY
    delete env.ANTHROPIC_API_KEY
  }
  return env
}

async function withPerson(processes: Processes): Promise<ExitCode> {
  const code = await processes.attached(['run', 'asker', input])
  if (code === exit.fine) await summary(processes)
  else processes.print('The demo ends here, and its database goes with it.')
  return code
}

async function alone(processes: Processes): Promise<ExitCode> {
  processes.print(
    'Nobody sits at a terminal here, so this demo plays the person too. Each command is a process of its own,',
  )
  processes.print('on one SQLite file in a temporary folder.')
  let code = await processes.shown(['run', 'asker', input])
  for (let answers = 0; code === exit.parked && answers < 9; answers++) {
    const [ask] = await processes.asks()
    if (!ask) break
    code = await processes.shown(['answer', ask.run, '--step', ask.step, ...playPerson(ask)])
  }
  if (code === exit.fine) await summary(processes)
  return code
}

async function summary(processes: Processes): Promise<void> {
  processes.print('\nThe steps of the run:')
  for (const line of stepLines(await processes.log())) processes.print(`  ${line}`)
}
