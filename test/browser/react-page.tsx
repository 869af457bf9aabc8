/* The page of the tests of the hooks. What it shows, and as whom, is said by its address. */

import { createClient, QuerentError } from 'querent/client'
import {
  type Ask,
  type Connection,
  QuerentProvider,
  type RunHook,
  useAgent,
  useAsks,
  useConnection,
  useRun,
  useRuns,
  useServerNow,
} from 'querent/react'
import { StrictMode, useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'

const params = new URLSearchParams(location.search)
const runs = params.getAll('run')

/** Each drawing of a run: which one was asked for, which one it was given, and its lines. */
const drawn: { asked: string | undefined; given: string | undefined; lines: string[] }[] = []
/** What became of each answer, in the order in which that was known. */
const heard: string[] = []
Object.assign(window, { drawn, heard })

let person = params.get('as') ?? ''
const client = createClient({ url: '', headers: () => (person === '' ? [] : [['authorization', `Bearer ${person}`]]) })

function heardOf(promise: Promise<unknown>): void {
  promise.then(
    (value) => heard.push(JSON.stringify(value)),
    (error: unknown) =>
      heard.push(error instanceof QuerentError ? `${error.code} ${JSON.stringify(error.data)}` : String(error)),
  )
}

const connectionText = (connection: Connection) =>
  connection.state === 'offline' ? `offline ${connection.error.code}` : connection.state

function Line({ name, text }: { name: string; text: string | undefined }) {
  return (
    <p>
      {name}: <output aria-label={name}>{text}</output>
    </p>
  )
}

function AskLine({ ask, approve, refuse }: { ask: Ask } & Pick<RunHook, 'approve' | 'refuse'>) {
  const [answer, setAnswer] = useState('')
  const { question } = ask.input as { question?: string }
  const data = ask.kind === 'approval' ? undefined : answer
  return (
    <li aria-label={ask.id}>
      <span>{question ?? ask.tool}</span>
      <input aria-label="answer" value={answer} onChange={(event) => setAnswer(event.target.value)} />
      <button type="button" onClick={() => heardOf(approve(ask, { data }))}>
        Send
      </button>
      <button
        type="button"
        onClick={() => {
          const first = approve(ask, { data })
          heard.push(String(approve(ask, { data }) === first))
          heardOf(first)
        }}
      >
        Send twice
      </button>
      <button type="button" onClick={() => heardOf(refuse(ask, { reason: answer }))}>
        Refuse
      </button>
    </li>
  )
}

function Asks() {
  const { asks, loading, connection, ...actions } = useAsks()
  return (
    <section aria-label="asks">
      <Line name="asks connection" text={`${loading ? 'loading ' : ''}${connectionText(connection)}`} />
      <ul>
        {asks.map((ask) => (
          <AskLine key={ask.id} ask={ask} {...actions} />
        ))}
      </ul>
    </section>
  )
}

function Runs() {
  return (
    <ul aria-label="runs">
      {useRuns().runs.map(({ run, title, status }) => (
        <li key={run}>{`${title}: ${status}`}</li>
      ))}
    </ul>
  )
}

function Run({ run }: { run: string | undefined }) {
  const state = useRun(run)
  const lines = state.messages.map((line) => {
    if (line.role !== 'ask') return `${line.role}: ${line.text}`
    const { end } = line
    return `ask: ${(line.ask.input as { question?: string }).question} ${end ? `${end.outcome} by ${end.by} at ${end.at} ${JSON.stringify(end.data)}` : 'open'}`
  })
  drawn.push({ asked: run, given: state.run, lines })
  return (
    <section aria-label="run">
      <Line name="status" text={state.status} />
      <Line name="error" text={state.error?.code} />
      <Line name="connection" text={connectionText(state.connection)} />
      <Line name="live text" text={state.liveText} />
      <Line name="text" text={state.text} />
      <Line name="output" text={JSON.stringify(state.output)} />
      <Line name="tokens" text={state.usage && String(state.usage.totalTokens)} />
      <ol aria-label="messages">
        {lines.map((line, index) => (
          <li key={state.messages[index]?.seq}>{line}</li>
        ))}
      </ol>
      <ol aria-label="tools">
        {state.tools.map((call) => (
          <li key={call.seq}>{`${call.step} ${call.tool} ${call.state}`}</li>
        ))}
      </ol>
      <ul aria-label="open">
        {state.asks.map((ask) => (
          <AskLine key={ask.id} ask={ask} approve={state.approve} refuse={state.refuse} />
        ))}
      </ul>
      <button type="button" onClick={() => heardOf(state.say('and now?'))}>
        Say
      </button>
      <button type="button" onClick={() => heardOf(state.stop())}>
        Stop
      </button>
    </section>
  )
}

function Agent({ onStart }: { onStart(run: string): void }) {
  const { start, working, asks } = useAgent(params.get('agent') ?? 'asker')
  return (
    <section aria-label="agent">
      <button type="button" onClick={() => void start('from the page').then(({ run }) => onStart(run))}>
        Start
      </button>
      <Line name="working" text={working.map(({ title }) => title).join()} />
      <Line name="agent asks" text={String(asks.length)} />
    </section>
  )
}

function Top() {
  const { connection, reconnect } = useConnection()
  const now = useServerNow()
  const signIn = () => {
    person = 'ann'
    reconnect()
  }
  return (
    <header>
      <Line name="lists" text={connectionText(connection)} />
      <Line name="server day" text={now === undefined ? 'unknown' : new Date(now).toISOString().slice(0, 10)} />
      <button type="button" onClick={signIn}>
        Sign in
      </button>
    </header>
  )
}

function Desk() {
  const [run, setRun] = useState(runs[0])
  const [open, setOpen] = useState(true)
  return (
    <>
      <nav>
        {runs.map((each, index) => (
          <button key={each} type="button" onClick={() => setRun(each)}>
            {`Run ${index + 1}`}
          </button>
        ))}
        <button type="button" onClick={() => setOpen(!open)}>
          {open ? 'Leave' : 'Come back'}
        </button>
        <button type="button" onClick={() => [false, true].map((each) => flushSync(() => setOpen(each)))}>
          Leave and come back
        </button>
      </nav>
      {open && (
        <main>
          <Top />
          <Agent onStart={setRun} />
          <Asks />
          <Runs />
          <Run run={run} />
          {params.has('twice') && <Run run={run} />}
        </main>
      )}
    </>
  )
}

const desk = (
  <QuerentProvider client={client}>
    <Desk />
  </QuerentProvider>
)
createRoot(document.getElementById('root') as HTMLElement).render(
  params.has('strict') ? <StrictMode>{desk}</StrictMode> : desk,
)
