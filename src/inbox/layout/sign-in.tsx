import { type FormEvent, useState } from 'react'
import { QuerentError } from '../../protocol/core.ts'
import { errorOf } from '../../protocol/problem.ts'
import { paths, type SignInBody } from '../../protocol/wire.ts'
import { Brand } from './brand.tsx'
import { Note } from './note.tsx'

/** Nobody is signed in. Where the server takes a token the page asks for it; else signing in is the business of whoever serves it. */
export function SignIn({ error, onSignedIn }: { error: QuerentError; onSignedIn: () => void }) {
  return (
    <main className="door">
      <div className="door-card">
        <Brand />
        {error.data.signIn === 'token' ? (
          <TokenForm onSignedIn={onSignedIn} />
        ) : (
          <>
            <h1>You are not signed in</h1>
            <p>Sign in where you usually do, then come back to this page.</p>
            <button type="button" className="button button-primary" onClick={onSignedIn}>
              Try again
            </button>
          </>
        )}
      </div>
    </main>
  )
}

function TokenForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [token, setToken] = useState('')
  const [sending, setSending] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() === '' || sending) return
    setSending(true)
    const said = await signIn(token.trim())
    setSending(false)
    setWrong(said)
    if (said === undefined) onSignedIn()
  }
  return (
    <form className="dialog-body" onSubmit={(event) => void onSubmit(event)}>
      <h1>Sign in</h1>
      <div className="field">
        <label htmlFor="token">Token of this server</label>
        <input
          id="token"
          className="text-input"
          type="password"
          autoComplete="current-password"
          value={token}
          aria-describedby="token-hint"
          aria-invalid={wrong !== undefined}
          onChange={(event) => setToken(event.target.value)}
        />
        <p className="field-hint" id="token-hint">
          It is what <code>QUERENT_TOKEN</code> was set to where the server was started. This page does not keep it.
        </p>
      </div>
      {wrong !== undefined && <Note tone="bad" title={wrong} alert />}
      <button type="submit" className="button button-primary" disabled={sending}>
        {sending ? 'Signing in …' : 'Sign in'}
      </button>
    </form>
  )
}

/** Signs in. What went wrong, if anything did. */
async function signIn(token: string): Promise<string | undefined> {
  const body: SignInBody = { token }
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(paths.signIn, { method: 'POST', headers, body: JSON.stringify(body) })
    if (response.ok) return undefined
    if (response.status === 401) return 'This is not the token of this server.'
    const error = errorOf(response.status, await response.json().catch(() => undefined))
    return error instanceof QuerentError ? error.message : `The server answered with status ${response.status}.`
  } catch {
    return 'The server does not answer. Try again.'
  }
}
