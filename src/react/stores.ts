import type { AskAt, AskRef, Clock, PersonHandle, RunActions, Settling, UserInput } from '../protocol/core.ts'
import { Attention } from './attention.ts'
import { Lists } from './lists.ts'
import { loadingRun, noRun, type RunState, RunStore } from './run-store.ts'

/** What a person does with runs: the same as of the client, but that the same done twice at once is done once. */
export type Actions = Pick<RunActions, 'approve' | 'refuse' | 'say' | 'stop'>

/** All that the hooks under one provider share. */
export class Stores {
  readonly client: PersonHandle
  readonly clock: Clock
  readonly lists: Lists
  readonly actions: Actions
  private readonly attention = new Attention(() => this.attend())
  private readonly runs = new Map<string, RunStore>()
  private readonly underWay = new Map<string, Promise<unknown>>()

  constructor(client: PersonHandle, clock: Clock) {
    this.client = client
    this.clock = clock
    this.lists = new Lists({ client, clock, attention: this.attention })
    const { runs } = client
    this.actions = {
      approve: (at, answer) => this.settle('approve', at, answer, () => runs.approve(at, answer)),
      refuse: (at, refusal) => this.settle('refuse', at, refusal, () => runs.refuse(at, refusal)),
      say: (message) => this.once(['say', message], () => this.touching(message.run, runs.say(message))),
      stop: ({ run }) => this.once(['stop', run], () => this.touching(run, runs.stop({ run }))),
    }
  }

  start(agent: string, input: UserInput, options?: { key?: string }): Promise<{ run: string }> {
    return this.once(['start', agent, input, options], async () => {
      const started = await this.client.agent(agent).start(input, options)
      // Whoever was nobody is somebody by what they started: see `access: 'everyone'`.
      this.lists.reconnect()
      return started
    })
  }

  /** The state of a run as far as somebody looks at it. */
  stateOf(run: string | undefined): RunState {
    if (run === undefined) return noRun
    return this.runs.get(run)?.current ?? loadingRun
  }

  watch(run: string, listener: () => void): () => void {
    return (this.runs.get(run) ?? this.newRun(run)).subscribe(listener)
  }

  /** Asks again for what was refused: whoever was not signed in now is. */
  reconnect(): void {
    this.lists.reconnect()
    for (const run of this.runs.values()) run.reconnect()
  }

  private attend(): void {
    this.lists.attend()
    for (const run of this.runs.values()) run.attend()
  }

  /** The same, asked for twice while the first is under way, is asked once. */
  private once<T>(what: unknown[], act: () => Promise<T>): Promise<T> {
    const key = JSON.stringify(what)
    const underWay = this.underWay.get(key)
    if (underWay) return underWay as Promise<T>
    const promise = act().finally(() => this.underWay.delete(key))
    this.underWay.set(key, promise)
    return promise
  }

  // Its store is made by whoever looks, not in a render: one that React throws away would never be taken out again.
  private newRun(run: string): RunStore {
    const { client, clock, attention, lists } = this
    const store = new RunStore({ client, clock, attention, lists, run, onRest: () => this.runs.delete(run) })
    this.runs.set(run, store)
    return store
  }

  private settle(
    how: string,
    at: AskAt | AskRef,
    ending: object | undefined,
    act: () => Promise<Settling>,
  ): Promise<Settling> {
    const place = 'id' in at ? [at.run, at.id] : at
    return this.once([how, place, ending], async () => {
      const settling = await this.touching(at.run, act())
      this.lists.settle(settling.ask.id)
      return settling
    })
  }

  private async touching<T>(run: string, acting: Promise<T>): Promise<T> {
    const done = await acting
    this.runs.get(run)?.touch()
    return done
  }
}
