/// <reference types="vite/client" />
/*
 * The page of the tests of <AskForm>. With `as` in its address it shows the asks of that person and answers them over HTTP;
 * without, a test has put asks there (`asks`) and says what becomes of each answer (`settle`).
 */

import { createClient, QuerentError } from 'querent/client'
import { AskForm, type AskFormProps, localDrafts } from 'querent/react/ask-form'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import './ask-form-page.css'
import 'querent/react/ask-form.css'

type Ask = AskFormProps['ask']

const params = new URLSearchParams(location.search)
const person = params.get('as') ?? ''
const client = createClient({ url: '', headers: { authorization: `Bearer ${person}` } })
const drafts = params.has('drafts') ? localDrafts() : undefined

/** What was sent, and how to end it. */
const sent: unknown[] = []
const underWay: { resolve(): void; reject(error: unknown): void }[] = []

interface Failure {
  code: string
  message?: string
  data?: { issues?: { path: string; message: string }[]; [key: string]: unknown }
}

/** Ends the oldest request: well, or with an error. */
function settle(failure?: Failure): void {
  const request = underWay.shift()
  if (failure === undefined) request?.resolve()
  else request?.reject(errorOf(failure))
}

function errorOf({ code, message = 'Said by the server.', data = {} }: Failure): Error {
  return code === 'none' ? new TypeError('x') : new QuerentError(code as 'T0001', message, { data })
}
Object.assign(window, { sent, settle })

function send(what: object): Promise<void> {
  sent.push(what)
  return new Promise((resolve, reject) => void underWay.push({ resolve, reject }))
}

function Page() {
  const [asks, setAsks] = useState((window as { asks?: Ask[] }).asks ?? [])
  const [at, setAt] = useState(0)
  useEffect(() => {
    if (person !== '') void client.asks().then(setAsks)
  }, [])
  const ask = asks[at]
  const on =
    person === ''
      ? { onAnswer: send, onRefuse: (refusal: object) => send({ refuse: refusal }) }
      : {
          onAnswer: (answer: object) => client.runs.approve(ask as Ask, answer),
          onRefuse: (refusal: object) => client.runs.refuse(ask as Ask, refusal),
        }
  return (
    <main>
      <h1>Asks</h1>
      <nav>
        {asks.map(({ id }, index) => (
          <button key={id} type="button" onClick={() => setAt(index)}>
            {`Ask ${index + 1}`}
          </button>
        ))}
      </nav>
      {ask && (
        <AskForm
          ask={ask}
          {...on}
          drafts={drafts}
          autoFocus={params.has('focus')}
          disabled={params.has('disabled')}
          renderText={params.has('rendered') ? (text) => <em>{text}</em> : undefined}
        />
      )}
    </main>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
