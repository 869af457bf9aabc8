import { createClient } from 'querent/client'
import { QuerentProvider, useAgent, useRun } from 'querent/react'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { shirts } from './agents.ts'
import { Inbox } from './inbox.tsx'

const client = createClient({ url: '' })

function Shop() {
  const { start, working } = useAgent<typeof shirts>('shirts')
  const [run, setRun] = useState<string>()
  const order = async () => setRun((await start('I need a T-shirt.')).run)
  if (run) return <Chat run={run} />
  return (
    <main>
      <button type="button" onClick={() => void order()}>
        I need a T-shirt
      </button>
      {working.map(({ run, title }) => (
        <button key={run} type="button" onClick={() => setRun(run)}>
          Go on with “{title}”
        </button>
      ))}
    </main>
  )
}

function Chat({ run }: { run: string }) {
  const { status, messages, liveText, asks, approve, error } = useRun<typeof shirts>(run)
  return (
    <main>
      {messages.map((line) =>
        line.role === 'ask' ? (
          <p key={line.ask.id}>{line.end ? `You said ${line.end.data}.` : 'A question for you:'}</p>
        ) : (
          <p key={line.seq}>{line.text}</p>
        ),
      )}
      {liveText && <p>{liveText}…</p>}
      {asks.map((ask) => (
        <fieldset key={ask.id}>
          <legend>{(ask.input as { question: string }).question}</legend>
          {ask.options?.map(({ label }) => (
            <button key={label} type="button" onClick={() => void approve(ask, { data: label })}>
              {label}
            </button>
          ))}
        </fieldset>
      ))}
      <p role="status">{error ? error.message : status}</p>
    </main>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QuerentProvider client={client}>
      <Inbox />
      <Shop />
    </QuerentProvider>
  </StrictMode>,
)
