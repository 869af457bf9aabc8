import {
  type Ask,
  addToConversation,
  type Clock,
  type Code,
  type Connection,
  newestText,
  type PersonHandle,
  type RunStatus,
  type RunSummary,
  type ViewEvent,
  type ViewMessage,
} from '../protocol/core.ts'
import type { Attention } from './attention.ts'
import type { Lists } from './lists.ts'
import { Refresh } from './refresh.ts'
import { Store } from './store.ts'
import { Stream } from './stream.ts'

/** A call of a tool, as a person sees it. */
export interface ToolCall {
  /** The line of the log where it began: its place among `messages`, and unique in the run. */
  seq: number
  at: string
  step: string
  tool: string
  state: 'started' | 'returned'
  failed?: true
}

/** A run as it is now. Its fields are those of `RunView`, where they are known. */
export interface RunState<O = unknown> extends Partial<Omit<RunSummary<O>, 'status' | 'error'>> {
  /** `none`: no run was given. `loading`: nothing is known yet. `unavailable`: it is not to be had, and `error` says why. */
  status: RunStatus | 'none' | 'loading' | 'unavailable'
  /** The conversation, oldest first. A line of an ask has its `end` once it is settled: how, by whom and when. */
  messages: ViewMessage[]
  /** The calls of its tools, oldest first. */
  tools: ToolCall[]
  /** What the agent is writing now and `messages` does not have yet; else `''`. */
  liveText: string
  /** The newest text of the agent, live or not. */
  text: string
  /** What waits for me in this run, the runs that it delegated to included. */
  asks: Ask[]
  /** Why it failed, or why it is unavailable. */
  error?: { code: Code; message: string }
  /** `offline` with an error whose `retry` is false: it was refused, and is not asked for again before `reconnect`. */
  connection: Connection
}

const nothing: Omit<RunState, 'status'> = {
  messages: [],
  tools: [],
  liveText: '',
  text: '',
  asks: [],
  connection: { state: 'connecting' },
}
export const noRun: RunState = { ...nothing, status: 'none' }
export const loadingRun: RunState = { ...nothing, status: 'loading' }

interface RunStoreParts {
  client: PersonHandle
  clock: Clock
  attention: Attention
  lists: Lists
  run: string
  onRest(): void
}

/**
 * One run, live: its conversation from its own stream, and all else (status, asks, usage) from the person's lists, which
 * tell of the runs below it too. A run that is too old for the lists is read whenever its stream says that it changed.
 */
export class RunStore extends Store<RunState> {
  readonly run: string
  private readonly lists: Lists
  private readonly stream: Stream<ViewEvent>
  private readonly refresh: Refresh<RunSummary>
  private readonly onRest: () => void
  private messages: ViewMessage[] = []
  private tools: ToolCall[] = []
  /** The conversation as it was last given: made anew when it has changed, and only then. */
  private given: Pick<RunState, 'messages' | 'tools'> | undefined
  private liveText = ''
  private seq = 0
  /** When the run ended, as far as its stream has told. */
  private endedAt: string | undefined
  /** What the lists have of it, and how they are connected. */
  private listed: RunSummary | undefined
  /** What of it made the stream go on last. */
  private followed: RunSummary | undefined
  private listsAre: Connection | undefined
  private unsubscribe: (() => void) | undefined

  constructor(parts: RunStoreParts) {
    super(parts.clock, loadingRun)
    const { client, run, attention } = parts
    this.run = run
    this.lists = parts.lists
    this.onRest = parts.onRest
    this.refresh = new Refresh(
      () => client.runs.get(run),
      () => this.changed(),
    )
    this.stream = new Stream({
      source: (options) => {
        // It is given anew from its beginning.
        this.liveText = ''
        return client.runs.watch(run, { ...options, after: this.seq })
      },
      mayBeOpen: () => attention.mayWatchRuns,
      onEvent: (event) => this.take(event),
      onChange: () => this.streamChanged(),
    })
  }

  /** Somebody looks at the page again, or nobody does. */
  attend(): void {
    this.stream.attend()
    this.changed()
  }

  /** Asks again, where it was refused. */
  reconnect(): void {
    if (this.stream.refused) this.stream.open()
    this.changed()
  }

  /** Something was done to it from here: it may go on, though its stream has ended. */
  touch(): void {
    if (this.stream.ended && !this.stream.refused) this.stream.open()
    this.readWhereUnlisted()
  }

  protected work(): void {
    this.unsubscribe = this.lists.subscribe(() => this.listsChanged())
    this.stream.open()
    this.listsChanged()
  }

  protected rest(): void {
    this.stream.close()
    this.unsubscribe?.()
    this.onRest()
  }

  protected look(): RunState {
    const { messages, liveText, stream } = this
    const summary = this.summary()
    this.given ??= { messages: [...messages], tools: [...this.tools] }
    const conversation = {
      ...this.given,
      liveText,
      text: liveText || newestText(messages),
      connection: worse(stream.connection, this.lists.current.connection),
    }
    if (summary) return { ...summary, ...conversation }
    const error = stream.refused ?? this.lists.current.refused ?? this.refresh.refused
    if (!error) return { ...conversation, run: this.run, asks: [], status: 'loading' }
    return { ...conversation, run: this.run, asks: [], status: 'unavailable', error }
  }

  /** What is known beside the conversation. Of two, that of the list: it is told of every change. */
  private summary(): RunSummary | undefined {
    // What was read is of no run any more, where the server came back with another database.
    const read = this.stream.refused?.is('T0001') ? undefined : this.refresh.value
    return this.listed ?? (read && this.lists.withOpen(read))
  }

  private listsChanged(): void {
    const { listed, listsAre } = this
    const { runs, connection } = this.lists.current
    this.listed = runs.find(({ run }) => run === this.run)
    this.listsAre = connection
    if (this.listed === undefined && this.refresh.value === undefined) this.readWhereUnlisted()
    // Lists change with every other run as well.
    if (this.listed === listed && connection === listsAre) return
    this.follow()
    this.changed()
  }

  /**
   * Watches a run on that went on after its stream has ended. Whichever of the two is told first, the list of it or the end
   * of the stream: for what the list says once, once.
   */
  private follow(): void {
    const { listed, stream, followed } = this
    if (!stream.ended || stream.refused || !listed || listed === followed || listed.endedAt === this.endedAt) return
    this.followed = listed
    stream.open()
  }

  private streamChanged(): void {
    const { refused, connection } = this.stream
    if (refused?.is('T0008') && this.seq > 0) this.startOver()
    // What happened while the connection was cut is in no event, where it is not in the log.
    else if (connection.state === 'live') this.readWhereUnlisted()
    this.follow()
    this.changed()
  }

  /** The log is another than the one we read: a database was put back, say. */
  private startOver(): void {
    this.messages = []
    this.tools = []
    this.given = undefined
    this.liveText = ''
    this.seq = 0
    this.stream.open()
  }

  private readWhereUnlisted(): void {
    // Not before its stream is there: of a run that is refused there would be two requests.
    const isLive = this.stream.connection.state === 'live'
    if (isLive && !this.lists.current.loading && this.listed === undefined) this.refresh.ask()
  }

  private take(event: ViewEvent): void {
    if (event.type === 'text.delta') this.liveText += event.text
    else if (event.type === 'text.reset') this.liveText = ''
    else this.takeLine(event)
    this.changed()
  }

  private takeLine(event: Exclude<ViewEvent, { type: 'text.delta' | 'text.reset' }>): void {
    if ('seq' in event) this.seq = event.seq
    this.given = undefined
    addToConversation(this.messages, event)
    if (event.type === 'tool') addCall(this.tools, event)
    // The list hears of it a moment sooner or later: the two must not contradict each other.
    if (event.type === 'ask.settled') this.lists.settle(event.ask.id)
    if (event.type === 'status') this.endedAt = event.at
    // The whole has come.
    if (event.type === 'status' || (event.type === 'message' && event.role === 'assistant')) this.liveText = ''
    this.readWhereUnlisted()
  }
}

function addCall(tools: ToolCall[], { type: _, ...call }: ViewEvent & { type: 'tool' }): void {
  const index = tools.findLastIndex(({ step, state }) => step === call.step && state === 'started')
  const begun = tools[index]
  if (!begun || call.state === 'started') tools.push(call)
  else tools[index] = { ...call, seq: begun.seq, at: begun.at }
}

const badness = { live: 0, connecting: 1, offline: 2 }

function worse(a: Connection, b: Connection): Connection {
  return badness[b.state] > badness[a.state] ? b : a
}
