import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type AgentSummary, randomId, visible } from '../../protocol/core.ts'
import { useClient } from '../../react/provider.tsx'
import { BackLink } from '../layout/back-link.tsx'
import { NewIcon } from '../layout/icons.tsx'
import { Note } from '../layout/note.tsx'
import { Nothing } from '../layout/nothing.tsx'
import { Skeleton } from '../layout/skeleton.tsx'
import { runPath } from '../places.ts'
import { wordsOf } from '../state/problem.ts'
import { useDraft } from '../state/use-draft.ts'

/** Where somebody starts a run: which agent, and what it should do. */
export function NewRun() {
  const { agents, failure, retry } = useAgents()
  return (
    <>
      <header className="pane-bar">
        <BackLink href="/runs" />
        <h1 id="detail-title">New run</h1>
      </header>
      <div className="pane-scroll">
        <div className="column">
          {failure !== undefined && (
            <Note tone="bad" title={failure} alert>
              <div className="actions">
                <button type="button" className="button button-small" onClick={retry}>
                  Try again
                </button>
              </div>
            </Note>
          )}
          {!agents && failure === undefined && <Skeleton rows={3} label="Loading the agents" />}
          {agents?.length === 0 && (
            <Nothing icon={<NewIcon />} title="There is no agent you may start">
              <p>Whoever runs this server says in its config who may start which agent.</p>
            </Nothing>
          )}
          {agents && agents.length > 0 && <StartForm agents={agents} />}
        </div>
      </div>
    </>
  )
}

function useAgents() {
  const client = useClient()
  const [state, setState] = useState<{ agents?: AgentSummary[]; failure?: string }>({})
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isHere = true
    client.agents().then(
      (agents) => isHere && setState({ agents }),
      (error: unknown) => isHere && setState({ failure: wordsOf(error) }),
    )
    return () => {
      isHere = false
    }
  }, [client, tries])
  const retry = () => {
    setState({})
    setTries(tries + 1)
  }
  return { ...state, retry }
}

function StartForm({ agents }: { agents: AgentSummary[] }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const { text: chosen, setText: setChosen } = useDraft('new.agent')
  const { text, setText, forget } = useDraft('new.text')
  const [failure, setFailure] = useState<string>()
  const [sending, setSending] = useState(false)
  const started = useRef({ what: '', key: '' })
  const agent = agents.find(({ name }) => name === chosen)?.name ?? agents[0]?.name ?? ''
  const start = async () => {
    if (sending) return
    if (text.trim() === '') {
      setFailure('Write what it should do.')
      return
    }
    // Sent again because no answer came, it is the same run.
    const what = JSON.stringify([agent, text])
    if (started.current.what !== what) started.current = { what, key: randomId('key') }
    setSending(true)
    setFailure(undefined)
    try {
      const { run } = await client.agent(agent).start(text, { key: started.current.key })
      forget(text)
      navigate(runPath(run))
    } catch (error) {
      setFailure(wordsOf(error))
      setSending(false)
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void start()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start()
  }
  return (
    <form className="start" onSubmit={onSubmit}>
      <fieldset className="field">
        <legend>Agent</legend>
        <div className="choices">
          {agents.map(({ name, description }) => (
            <label key={name} className="choice">
              <input type="radio" name="agent" checked={name === agent} onChange={() => setChosen(name)} />
              <span>
                <span className="choice-label">{visible(name, 'line')}</span>
                {description !== undefined && <span className="choice-about">{visible(description, 'line')}</span>}
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="field">
        <label htmlFor="input">What should it do?</label>
        <textarea
          id="input"
          className="text-input"
          value={text}
          dir="auto"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {failure !== undefined && <Note tone="bad" title={failure} alert />}
      <div className="actions actions-sticky">
        <button type="submit" className="button button-primary" disabled={sending}>
          {sending ? 'Starting …' : 'Start'}
        </button>
        <Link href="/runs" className="button button-quiet">
          Cancel
        </Link>
      </div>
    </form>
  )
}
