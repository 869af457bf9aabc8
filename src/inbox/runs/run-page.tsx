import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { type Ask, type RunStatus, visible } from '../../protocol/core.ts'
import { type RunHook, useRun } from '../../react/use-run.ts'
import { AskHere } from '../asks/ask-here.tsx'
import { SettledLines } from '../asks/settled-lines.tsx'
import { Conversation } from '../conversation/conversation.tsx'
import { entriesOf } from '../conversation/entries.ts'
import { LiveMessage } from '../conversation/message.tsx'
import { useEndInView } from '../conversation/use-end-in-view.ts'
import { BackLink } from '../layout/back-link.tsx'
import { RunsIcon } from '../layout/icons.tsx'
import { Nothing } from '../layout/nothing.tsx'
import { Skeleton } from '../layout/skeleton.tsx'
import { Status } from '../layout/status.tsx'
import { wordsOfCode } from '../state/problem.ts'
import { firstLine } from '../text/first-line.ts'
import { Composer } from './composer.tsx'
import { RunEnd } from './run-end.tsx'
import { StopButton } from './stop-button.tsx'

/** One run as a conversation: what it says and does as it comes, what it asks in place, and a field to write to it. */
export function RunPage({ id }: { id: string }) {
  const run = useRun(id)
  const scroll = useEndInView<HTMLDivElement>(id, [run.messages, run.tools, run.asks, run.liveText, run.status])
  useFocusAfterAnswer(run.asks)
  if (run.status === 'unavailable') return <Unavailable run={run} />
  const status = isStatus(run.status) ? run.status : undefined
  const title = firstLine(run.title ?? firstWords(run))
  return (
    <>
      <header className="pane-bar">
        <BackLink href="/runs" />
        <div className="bar-titles">
          <h1 id="detail-title" className="bar-title" dir="auto">
            {title || 'Run'}
          </h1>
          <p className="bar-more" role="status">
            {run.agent !== undefined && <bdi>{visible(run.agent, 'line')}</bdi>}
            {status && <Status status={status} />}
          </p>
        </div>
        {status && !isOver(status) && (
          <div className="pane-bar-end">
            <StopButton onStop={() => run.stop()} asks={run.asks.length} />
          </div>
        )}
      </header>
      <div className="pane-scroll" ref={scroll}>
        <div className="column">
          {!status && run.messages.length === 0 ? <Skeleton rows={3} label="Loading the run" /> : <Talk run={run} />}
          {status && <RunEnd run={run} status={status} />}
        </div>
      </div>
      {status && (
        <Composer
          key={id}
          run={id}
          asks={run.asks.length}
          isOver={isOver(status)}
          onSay={({ text, key }) => run.say(text, { key })}
        />
      )}
    </>
  )
}

/**
 * A form goes with the button that was pressed: whoever works by keyboard would be thrown back to the top of the page. By
 * their ids: where the next ask comes in the same moment, there are as many as before. A browser leaves the focus in a form
 * that was just disabled until it draws again, and only then takes it to the body.
 */
function useFocusAfterAnswer(asks: readonly Ask[]): void {
  const before = useRef(asks)
  useEffect(() => {
    const isOneGone = before.current.some(({ id }) => !asks.some((ask) => ask.id === id))
    before.current = asks
    const at = document.activeElement
    if (isOneGone && (at === document.body || at?.matches(':disabled'))) {
      document.getElementById('detail')?.focus({ preventScroll: true })
    }
  }, [asks])
}

function Talk({ run }: { run: RunHook }) {
  const agent = run.agent ?? 'Agent'
  const inLines = new Set(run.messages.flatMap((line) => (line.role === 'ask' ? [line.ask.id] : [])))
  // What a run below asks has no line here: it stands at the end, where it waits.
  const below = run.asks.filter(({ id }) => !inLines.has(id))
  const isWorking = run.status === 'working' || run.status === 'ready'
  return (
    <Conversation
      entries={entriesOf(run.messages, run.tools)}
      agent={agent}
      drawAsk={({ ask, end }) => {
        if (end) return <SettledLines ask={ask} end={end} />
        return <AskHere ask={ask} disabled={!run.asks.some(({ id }) => id === ask.id)} />
      }}
    >
      {below.map((ask) => (
        <AskHere key={ask.id} ask={ask} />
      ))}
      {(run.liveText !== '' || isWorking) && (
        <div aria-live="off">
          <LiveMessage agent={agent} text={run.liveText} />
        </div>
      )}
    </Conversation>
  )
}

function Unavailable({ run }: { run: RunHook }) {
  return (
    <>
      <header className="pane-bar">
        <BackLink href="/runs" />
        <h1 id="detail-title">Not here</h1>
      </header>
      <Nothing icon={<RunsIcon />} title="This run cannot be shown">
        <p>{run.error && wordsOfCode(run.error.code, run.error.message)}</p>
        <div className="actions">
          <Link href="/runs" className="button">
            Your runs
          </Link>
        </div>
      </Nothing>
    </>
  )
}

function firstWords({ messages }: RunHook): string {
  const [first] = messages
  return first?.role === 'user' ? first.text : ''
}

function isStatus(status: RunHook['status']): status is RunStatus {
  return status !== 'none' && status !== 'loading' && status !== 'unavailable'
}

function isOver(status: RunStatus): boolean {
  return status === 'done' || status === 'failed' || status === 'stopped'
}
