import type { Ask } from '../core/ask.ts'
import type { AskRow, Store } from '../store/store.ts'
import { messageOf } from './call-model.ts'
import { checkInput } from './check-input.ts'
import type { EngineParts } from './parts.ts'
import { askOfRow } from './views.ts'

/** An open ask that the code as it is now could not resume once it is answered, and why. */
export interface Finding {
  ask: Ask
  problem: string
}

/** Goes through every open ask. Reads rows alone, a page at a time. */
export async function findUnresumable(parts: EngineParts): Promise<Finding[]> {
  const findings: Finding[] = []
  let after: string | undefined
  do {
    const page = await parts.store.listAsks({ limit: 200, ...(after === undefined ? {} : { after }) })
    for (const row of page.items) {
      const problem = await problemOf(parts, row).catch((error: unknown) => messageOf(error))
      if (problem !== undefined) findings.push({ ask: askOfRow(row), problem })
    }
    after = page.cursor
  } while (after !== undefined)
  return findings
}

async function problemOf({ registry, store }: EngineParts, row: AskRow): Promise<string | undefined> {
  const agent = registry.find(row.agent)
  if (!agent) {
    return `There is no agent "${row.agent}" here. The run stays parked and answerable; give the agent that name, or the name as an alias.`
  }
  if (!registry.kind(agent, row.kind))
    return `No extension of agent "${row.agent}" knows asks of the kind "${row.kind}".`
  // A question's answer is the result of its call: no tool has to run. An ask inside a tool, and an approval, need it.
  if (row.step.split('/').at(-1)?.startsWith('question ')) return undefined
  const run = await store.getRun(row.owner)
  if (!run || agent.driver) return undefined
  const { trigger, starter, parent } = run
  const { tools } = registry.equip(agent, {
    run: run.id,
    agent: agent.name,
    trigger,
    starter,
    depth: parent?.depth ?? 0,
  })
  const name = row.key === undefined ? row.tool : await toolOfCall(store, row)
  const tool = tools.get(name)
  if (!tool) return `Agent "${row.agent}" has no tool "${name}" any more: when this is answered, the model hears so.`
  if (row.key !== undefined) {
    const repeats = tool.retrySafe || tool.replays
    return repeats
      ? undefined
      : `Tool "${name}" asked this with ctx.ask, and is neither retrySafe nor replays any more.`
  }
  const checked = await checkInput(tool, row.input)
  return checked.type === 'failure' ? `${checked.message} The model will hear so.` : undefined
}

/** The row of an ask inside a tool names the question; which tool asked it stands in the log. */
async function toolOfCall(store: Store, row: AskRow): Promise<string> {
  const events = await store.readEvents(row.owner, 0)
  for (const event of events) {
    if (event.type !== 'model.replied') continue
    const call = event.data.calls.find((each) => each.effect === row.effect)
    if (call) return call.tool
  }
  return row.tool
}
