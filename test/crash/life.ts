import { mkdirSync } from 'node:fs'
import { type AgentRecord, agent, createEngine, type ToolDefinition } from 'querent'
import { sqlite } from 'querent/sqlite'
import { type FaultPoint, fakeClock, faultStore, type ScriptedModel, scriptedModel } from 'querent/testing'
import { Person } from './person.ts'
import type { Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { callOf, startMs, type TracedPoint, type Traces, tracesIn } from './traces.ts'

/*
 * One life of a process: `node life.ts <job>`. In each folder it lives through the scenario, from wherever lives before it
 * came; with `killAt` it ends itself at that point, and says and closes nothing.
 */

export interface LifeJob {
  scenario: string
  folders: string[]
  /** How many processes died in these folders before. */
  deaths: number
  killAt?: number
}

async function live(scenario: Scenario, folder: string, { deaths, killAt }: LifeJob): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const traces = tracesIn(folder)
  const clock = fakeClock(startMs + deaths * (scenario.awayMs ?? 1000))
  let isOver = false
  const store = faultStore(sqlite(traces.database, { clock }), (point) => {
    if (isOver) return
    traces.points.add(traced(point))
    if (point.number === killAt) process.kill(process.pid, 'SIGKILL')
  })
  const helper = scenario.helper && agentOf('helper', scenario.helper, { traces })
  const shirts = agentOf('shirts', scenario, { traces, helper })
  const engine = createEngine({ agents: helper ? [shirts, helper] : [shirts], store, clock })
  await engine.start()
  const person = new Person(engine.as({ id: 'ann' }).agent(shirts.name), traces.acts, clock)
  await scenario.act(person)
  isOver = true
  await person.insist()
  await engine.close()
}

function traced({ transition, when, result }: FaultPoint): TracedPoint {
  const found = transition === 'claimRun' ? result !== undefined : (result as unknown[] | undefined)?.length !== 0
  return when === 'after' && !found ? { transition, when, idle: true } : { transition, when }
}

function agentOf(
  name: string,
  { turns, options: optionsWith }: Pick<Scenario, 'turns' | 'options'>,
  { traces, helper }: { traces: Traces; helper?: AgentRecord },
): AgentRecord {
  const model = recorded(scriptedModel(turns), name, traces)
  const touch = ({ name: toolName, retrySafe, replays }: Pick<ToolDefinition, 'name' | 'retrySafe' | 'replays'>) => {
    const mayRepeat = retrySafe || replays
    return (effect: string, did: string) => {
      traces.effects.add({ call: callOf(name, effect), name: did, tool: toolName, mayRepeat })
      return did
    }
  }
  // What a call does by ctx.once may be repeated too: where the process dies before its result is kept.
  const options = optionsWith(touch({ name: 'once', retrySafe: false, replays: true }), helper)
  const tools = (options.tools as ToolDefinition[] | undefined) ?? []
  const watched = tools.map((each) => ({
    ...each,
    execute(...[input, ctx]: Parameters<ToolDefinition['execute']>) {
      touch(each)(ctx.effect, each.name)
      return each.execute(input, ctx)
    },
  }))
  return agent(name, { ...options, tools: watched, model })
}

function recorded(model: ScriptedModel, agent: string, traces: Traces): ScriptedModel {
  return {
    ...model,
    step(request) {
      const { messages, instructions, tools } = request
      traces.prompts.add({ agent, request: JSON.stringify({ instructions, tools, messages }) })
      return model.step(request)
    },
  }
}

const job = JSON.parse(process.argv[2] ?? '') as LifeJob
const scenario = scenarios.find((each) => each.name === job.scenario)
if (!scenario) throw new Error(`There is no scenario ${JSON.stringify(job.scenario)}.`)
for (const folder of job.folders) {
  // Where a life hangs, its process ends without a word: the last folder named is where.
  console.log(folder)
  await live(scenario, folder, job)
}
