import { createHash } from 'node:crypto'
import type { AgentRecord } from '../core/agent.ts'
import type { RunFacts } from '../core/agent-facts.ts'
import { QuerentError } from '../core/error.ts'
import type { AskKind, Extension } from '../core/extension.ts'
import { isModel, type Model, type ModelTool } from '../core/model.ts'
import type { ToolDefinition } from '../core/tool.ts'

/** Makes our model of somebody else's, such as the AI SDK's. */
export interface ModelAdapter {
  matches(value: unknown): boolean
  wrap(value: unknown): Model
}

/** What comes with the package; the engine names none of it. */
export interface Builtin {
  extensions: Extension[]
  models: ModelAdapter[]
}

/** An agent as one run has it: its model, and its tools with what extensions add for this run. */
export interface Equipment {
  agent: AgentRecord
  model: Model
  tools: Map<string, ToolDefinition>
  /** As the model is told of them: sorted by name, so that the order of registration changes no prompt. */
  modelTools: ModelTool[]
  extensions: Extension[]
  fingerprint: string
}

type Told = Pick<Equipment, 'modelTools' | 'fingerprint'>

/** Whether these are the very same definitions. */
function areSame(a: ModelTool[], b: ModelTool[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, description, inputSchema }, index) => {
      const other = b[index]
      return name === other?.name && description === other.description && inputSchema === other.inputSchema
    })
  )
}

/** The definitions that this process has. */
export class Registry {
  private readonly byName = new Map<string, AgentRecord>()
  private readonly models = new Map<AgentRecord, Model>()
  /** What the model of an agent was told lately: it is the same from run to run, and long. */
  private readonly told = new Map<AgentRecord, Told[]>()
  private readonly builtin: Builtin

  constructor(agents: readonly AgentRecord[], builtin: Builtin) {
    this.builtin = builtin
    for (const agent of agents) {
      this.refuseReserved(agent)
      this.models.set(agent, this.modelOf(agent))
      for (const name of [agent.name, ...agent.aliases]) {
        if (this.byName.has(name)) {
          throw new QuerentError(
            'T1001',
            `Two agents are named "${name}" (aliases count). Rename one, or give it once.`,
          )
        }
        this.byName.set(name, agent)
      }
    }
    for (const agent of agents) this.refuseLostDelegates(agent)
  }

  /** Every name that runs may have here, former ones included. */
  get names(): string[] {
    return [...this.byName.keys()]
  }

  /** The agents, in the order they were given. */
  get agents(): AgentRecord[] {
    return [...this.models.keys()]
  }

  find(name: string): AgentRecord | undefined {
    return this.byName.get(name)
  }

  /** Without an agent, as in a process that only answers: a kind that comes with the package. */
  kind(agent: AgentRecord | undefined, kind: string): AskKind | undefined {
    return this.extensionsOf(agent)
      .flatMap((extension) => extension.kinds ?? [])
      .find((each) => each.kind === kind)
  }

  equip(agent: AgentRecord, run: RunFacts): Equipment {
    const extensions = this.extensionsOf(agent)
    const tools = new Map(agent.tools.map((tool) => [tool.name, tool]))
    for (const added of extensions.flatMap((extension) => extension.tools?.(agent, run) ?? [])) {
      if (tools.has(added.name)) {
        throw new QuerentError(
          'T1009',
          `An extension adds the tool "${added.name}" to agent "${agent.name}", which has one. Rename yours.`,
        )
      }
      tools.set(added.name, added)
    }
    const modelTools = [...tools.values()]
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const model = this.models.get(agent) as Model
    return { agent, model, tools, extensions, ...this.toldOf(agent, { model, modelTools }) }
  }

  private toldOf(agent: AgentRecord, { model, modelTools }: { model: Model; modelTools: ModelTool[] }): Told {
    const lately = this.told.get(agent) ?? []
    const known = lately.find((each) => areSame(each.modelTools, modelTools))
    if (known) return known
    const text = JSON.stringify([model.id, agent.instructions, modelTools, agent.output?.json])
    const told = { modelTools, fingerprint: createHash('sha256').update(text).digest('base64url').slice(0, 22) }
    // With a question tool and without: an extension that makes its tools anew for each run must not fill the memory.
    this.told.set(agent, [told, ...lately.slice(0, 3)])
    return told
  }

  private extensionsOf(agent: AgentRecord | undefined): Extension[] {
    const own = agent?.extensions ?? []
    const names = own.map((extension) => extension.name)
    // One of the agent's own takes the place of the built-in one of that name, so that an ejected copy counts whole.
    return [...own, ...this.builtin.extensions.filter((extension) => !names.includes(extension.name))]
  }

  private refuseReserved(agent: AgentRecord): void {
    const reserved = this.extensionsOf(agent).flatMap((extension) => extension.reserves ?? [])
    const taken = agent.tools.find((tool) => reserved.includes(tool.name))
    if (!taken) return
    throw new QuerentError(
      'T1009',
      `Agent "${agent.name}" has a tool named "${taken.name}", a name that is reserved. Rename the tool.`,
    )
  }

  private refuseLostDelegates(agent: AgentRecord): void {
    const lost = agent.tools.find((tool) => tool.delegatesTo !== undefined && !this.find(tool.delegatesTo))
    if (!lost) return
    throw new QuerentError(
      'T1001',
      `Agent "${agent.name}" delegates to "${lost.delegatesTo}", which this engine does not have. Give both in agents.`,
    )
  }

  private modelOf(agent: AgentRecord): Model {
    const { model } = agent
    if (isModel(model)) return model
    const adapter = this.builtin.models.find((each) => each.matches(model))
    if (adapter) return adapter.wrap(model)
    if (model === undefined && agent.driver) return noModel(agent.name)
    throw new QuerentError(
      'T1006',
      `Agent "${agent.name}" has a model that is none: ${typeof model}. Give an AI SDK language model.`,
    )
  }
}

function noModel(agent: string): Model {
  return {
    id: 'none',
    // biome would have it yield: this model exists to say that there is none.
    step: () => {
      throw new QuerentError(
        'T1006',
        `Agent "${agent}" has a driver of its own and no model: the driver must call one itself.`,
      )
    },
  }
}
