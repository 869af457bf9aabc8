import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { Ask, ViewMessage } from '../../protocol/core.ts'
import { useRun } from '../../react/use-run.ts'
import { Conversation } from '../conversation/conversation.tsx'
import { entriesOf } from '../conversation/entries.ts'
import { useEndInView } from '../conversation/use-end-in-view.ts'
import { BackLink } from '../layout/back-link.tsx'
import { ForwardIcon, QuestionIcon } from '../layout/icons.tsx'
import { Note } from '../layout/note.tsx'
import { Nothing } from '../layout/nothing.tsx'
import { Skeleton } from '../layout/skeleton.tsx'
import { askPath, runPath } from '../places.ts'
import { markSeen } from '../state/seen-asks.ts'
import { Deadline, Instant } from '../time/instant.tsx'
import { useNow } from '../time/use-now.ts'
import { AskCard, AskOrigin, SettledAsk, WasAsked } from './ask-card.tsx'
import { AskHere } from './ask-here.tsx'
import { headlineOf } from './headline.ts'
import { SettledLines } from './settled-lines.tsx'

/** How much of what was said before stands above an ask. The rest is one press away. */
const shownBefore = 3

/**
 * One ask, with what was said before it. `asks`: what waits now, `loading` until that is known. `run`: where to look for one
 * that waits no more.
 */
export function AskPage(props: { id: string; run?: string; asks: Ask[]; loading: boolean }) {
  const { id, asks, loading } = props
  const inList = asks.find((ask) => ask.id === id)
  const last = useLastSeen(id, inList)
  const run = useRun(inList?.run ?? last?.run ?? props.run)
  // The list ends at some length. What waits behind its end is open all the same.
  const open = inList ?? run.asks.find((ask) => ask.id === id)
  const line = run.messages.find((each) => each.role === 'ask' && each.ask.id === id) as AskLine | undefined
  const isRunKnown = run.status !== 'loading'
  const ask = open ?? (isRunKnown ? line?.ask : undefined) ?? last
  const scroll = useEndInView<HTMLDivElement>(id, [run.messages, run.tools, ask])
  useEffect(() => markSeen(id), [id])
  // Lists may know the run before its first line has come.
  const isRead = run.status === 'none' || run.status === 'unavailable' || (isRunKnown && run.messages.length > 0)
  const isUnknown = !ask && !loading && isRead
  return (
    <>
      <header className="pane-bar">
        <BackLink href="/" />
        {ask ? (
          <AskTitle ask={ask} isOpen={open !== undefined} />
        ) : (
          <h1 id="detail-title">{isUnknown ? 'Not here' : 'Loading …'}</h1>
        )}
      </header>
      <div className="pane-scroll" ref={scroll}>
        {isUnknown && <UnknownAsk />}
        {!ask && !isUnknown && <Skeleton rows={3} label="Loading the question" />}
        {ask && (
          <div className="column">
            <Before ask={ask} line={line} messages={run.messages} tools={run.tools} />
            <Here key={id} ask={ask} line={line} isOpen={open !== undefined} />
            {!open && <Next asks={asks} run={ask.run} />}
          </div>
        )}
      </div>
    </>
  )
}

/** Whose ask it is, since when and until when. What is asked stands below: here it is said to those who hear it only. */
function AskTitle({ ask, isOpen }: { ask: Ask; isOpen: boolean }) {
  return (
    <>
      <div className="bar-titles">
        <h1 id="detail-title" className="bar-title">
          <AskOrigin ask={ask} />
          <span className="visually-hidden">: {headlineOf(ask).text}</span>
        </h1>
        <p className="bar-more">
          <span>
            Asked <Instant at={ask.since} />
          </span>
          {isOpen && ask.until !== undefined && <Deadline until={ask.until} full />}
        </p>
      </div>
      <div className="pane-bar-end">
        <Link href={runPath(ask.run)} className="button button-small button-quiet" aria-label="Open the whole run">
          Run
          <ForwardIcon />
        </Link>
      </div>
    </>
  )
}

type AskLine = ViewMessage & { role: 'ask' }

/** The ask as it was last seen: one that leaves the list while it is open here must not leave the screen. */
function useLastSeen(id: string, listed: Ask | undefined): Ask | undefined {
  const [last, setLast] = useState(listed)
  if (listed && listed !== last) setLast(listed)
  return last?.id === id ? last : undefined
}

function Before(props: { ask: Ask; line?: AskLine } & Pick<ReturnType<typeof useRun>, 'messages' | 'tools'>) {
  const { ask, line, messages, tools } = props
  // What a run below asks stands in no line of this one: all that was said is before it.
  const until = line?.seq ?? Number.POSITIVE_INFINITY
  const entries = entriesOf(
    messages.filter((each) => each.seq < until),
    tools.filter((call) => call.seq < until),
  )
  return (
    <Conversation
      key={ask.id}
      entries={entries}
      agent={ask.path[0] ?? ask.agent}
      shown={shownBefore}
      drawAsk={(each) =>
        each.end ? (
          <SettledLines ask={each.ask} end={each.end} />
        ) : (
          <Link href={askPath(each.ask)}>{headlineOf(each.ask).text}</Link>
        )
      }
    />
  )
}

/** The ask itself: its form while it waits, else how it ended. */
function Here(props: { ask: Ask; line?: AskLine; isOpen: boolean }) {
  const here = useRef<HTMLDivElement>(null)
  const { isOpen } = props
  // The form goes with the button that was pressed: whoever works by keyboard would be thrown back to the top.
  useEffect(() => {
    if (!isOpen && document.activeElement === document.body) here.current?.focus({ preventScroll: true })
  }, [isOpen])
  return (
    <div className="here" ref={here} tabIndex={-1}>
      <FormOrEnd {...props} />
    </div>
  )
}

function FormOrEnd({ ask, line, isOpen }: { ask: Ask; line?: AskLine; isOpen: boolean }) {
  const nowMs = useNow(Date.parse(ask.until ?? ask.since))
  const isExpired = ask.until !== undefined && nowMs > Date.parse(ask.until)
  if (line?.end && line.end.outcome !== 'expired') return <SettledAsk ask={ask} end={line.end} alone />
  if (isOpen && !isExpired) return <AskHere ask={ask} alone />
  if (isExpired || line?.end) {
    return (
      <AskHere ask={ask} disabled alone>
        <Note tone="warn" title="This expired while it waited for you" alert>
          <p>Nothing can be sent any more. What you wrote is kept here to be copied.</p>
        </Note>
      </AskHere>
    )
  }
  return (
    <AskCard ask={ask} isOpen={false} alone>
      <WasAsked ask={ask} />
      <Note tone="good" title="This waits no more" />
    </AskCard>
  )
}

/** What to do next: what the same run asks now, or else what is due first. */
function Next({ asks, run }: { asks: Ask[]; run: string }) {
  const next = asks.find((ask) => ask.run === run) ?? asks[0]
  if (!next) return <p className="next">Nothing else waits for you.</p>
  return (
    <Link href={askPath(next)} className="next next-link">
      <span className="next-word">Next</span>
      <span className="next-text" dir="auto">
        {headlineOf(next).text}
      </span>
      <ForwardIcon />
    </Link>
  )
}

function UnknownAsk() {
  return (
    <Nothing icon={<QuestionIcon />} title="This does not wait for you">
      <p>It was answered, or it ended, or it is not yours.</p>
      <div className="actions">
        <Link href="/" className="button">
          To the inbox
        </Link>
        <Link href="/runs" className="button button-quiet">
          Your runs
        </Link>
      </div>
    </Nothing>
  )
}
