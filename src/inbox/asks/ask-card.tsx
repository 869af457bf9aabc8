import type { ReactNode } from 'react'
import { type Ask, type AskEnd, isObject, visible } from '../../protocol/core.ts'
import { JsonText } from '../conversation/answer-view.tsx'
import { AskEnding } from '../conversation/ask-ending.tsx'
import { ApprovalIcon, ForwardIcon, QuestionIcon } from '../layout/icons.tsx'
import { Markdown } from '../text/markdown.tsx'
import { Deadline, Instant } from '../time/instant.tsx'
import { headlineOf } from './headline.ts'

/** An ask in its place, with its form, or how it ended. `alone`: whose it is and until when is said around it. */
export function AskCard(props: { ask: Ask; isOpen: boolean; alone?: boolean; children?: ReactNode }) {
  const { ask, isOpen, alone = false, children } = props
  return (
    <article className={isOpen ? 'ask-card ask-card-open' : 'ask-card'} aria-label={headlineOf(ask).text}>
      {!alone && (
        <div className="ask-top">
          <AskOrigin ask={ask} />
          <Instant at={ask.since} />
          {isOpen && ask.until !== undefined && <Deadline until={ask.until} full />}
        </div>
      )}
      {children}
    </article>
  )
}

/** What kind of ask it is, and whose. */
export function AskOrigin({ ask }: { ask: Ask }) {
  const Icon = ask.kind === 'approval' ? ApprovalIcon : QuestionIcon
  return (
    <span className="ask-origin">
      <Icon />
      <span>{ask.kind === 'approval' ? 'Approval for' : 'Question from'} </span>
      <AskPath path={ask.path} />
    </span>
  )
}

/** The agents from the one I started to the one that asks. */
function AskPath({ path }: { path: string[] }) {
  return (
    <span className="path">
      {path.map((name, depth) => (
        // A path may lead through the same agent twice: its place is what it is.
        <span className="path" key={`${depth} ${name}`}>
          {depth > 0 && <ForwardIcon />}
          <bdi className="path-name">{visible(name, 'line')}</bdi>
        </span>
      ))}
    </span>
  )
}

/** An ask that is over: what was asked, and how it ended. */
export function SettledAsk({ ask, end, alone }: { ask: Ask; end: AskEnd; alone?: boolean }) {
  return (
    <AskCard ask={ask} isOpen={false} alone={alone}>
      <WasAsked ask={ask} />
      <AskEnding ask={ask} end={end} />
    </AskCard>
  )
}

/** What was asked, to be read and not to be answered. */
export function WasAsked({ ask }: { ask: Ask }) {
  const question = questionOf(ask)
  if (question !== undefined) return <Markdown text={question} />
  return (
    <details className="was-asked">
      <summary>{headlineOf(ask).text}</summary>
      <JsonText value={ask.input} />
    </details>
  )
}

function questionOf({ input }: Ask): string | undefined {
  return isObject(input) && typeof input.question === 'string' ? input.question : undefined
}
