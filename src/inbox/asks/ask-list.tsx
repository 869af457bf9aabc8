import { Link } from 'wouter'
import { type Ask, visible } from '../../protocol/core.ts'
import { ApprovalIcon, CheckIcon, QuestionIcon } from '../layout/icons.tsx'
import { Nothing } from '../layout/nothing.tsx'
import { Skeleton } from '../layout/skeleton.tsx'
import { askPath } from '../places.ts'
import { useSeenAsks } from '../state/seen-asks.ts'
import { Deadline, Instant } from '../time/instant.tsx'
import { headlineOf } from './headline.ts'

/** `/api/events` gives no more. */
const maxListed = 200

/** What waits for me, nearest deadline first. */
export function AskList({ asks, loading, open }: { asks: Ask[]; loading: boolean; open?: string }) {
  return (
    <>
      <header className="pane-bar">
        <h1 id="list-title">Inbox {asks.length > 0 && <span className="count">{asks.length}</span>}</h1>
      </header>
      <div className="pane-scroll">
        {loading && <Skeleton label="Loading what waits for you" />}
        {!loading && asks.length === 0 && (
          <Nothing icon={<CheckIcon />} title="Nothing waits for you">
            <p>When an agent asks you something, it appears here at once.</p>
            <div className="actions">
              <Link href="/new" className="button">
                Start a run
              </Link>
            </div>
          </Nothing>
        )}
        <ol className="rows" data-rows>
          {asks.map((ask) => (
            <AskRow key={ask.id} ask={ask} isOpen={ask.id === open} />
          ))}
        </ol>
        {asks.length >= maxListed && (
          <p className="rows-more">These are the {maxListed} that are due first. Others follow as you answer.</p>
        )}
      </div>
    </>
  )
}

function AskRow({ ask, isOpen }: { ask: Ask; isOpen: boolean }) {
  const isNew = !useSeenAsks().has(ask.id)
  const { text, input } = headlineOf(ask)
  const Icon = ask.kind === 'approval' ? ApprovalIcon : QuestionIcon
  return (
    <li>
      <Link
        href={askPath(ask)}
        className="row"
        data-row={ask.id}
        data-new={isNew || undefined}
        aria-current={isOpen ? 'true' : undefined}
      >
        <span className="row-icon">
          <Icon />
        </span>
        <span className="row-body">
          <span className="row-top">
            <bdi className="row-agent">{visible(ask.agent, 'line')}</bdi>
            {isNew && <span className="visually-hidden">new</span>}
            <span className="row-time">
              {ask.until === undefined ? <Instant at={ask.since} ago /> : <Deadline until={ask.until} />}
            </span>
          </span>
          <span className="row-text" dir="auto">
            {text}
          </span>
          {input !== undefined && (
            <span className="row-input" dir="ltr">
              {input}
            </span>
          )}
        </span>
      </Link>
    </li>
  )
}
