import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Connection } from '../../protocol/core.ts'
import type { Place } from '../places.ts'
import { Brand } from './brand.tsx'
import { InboxIcon, KeysIcon, NewIcon, OfflineIcon, RunsIcon } from './icons.tsx'

/** The frame of every place: where one can go, a list, and what was chosen in it. */
export function Frame(props: {
  place: Place
  waiting: number
  connection: Connection
  onKeys: () => void
  list: ReactNode
  detail: ReactNode
}) {
  const { place, waiting, connection, onKeys, list, detail } = props
  const isOpen = place.page === 'new' || place.page === 'unknown' || ('ask' in place ? place.ask : 'run' in place)
  return (
    <div className="frame" data-open={isOpen ? 'detail' : 'list'}>
      <a className="skip-link" href="#detail">
        Skip to what is open
      </a>
      <header className="rail">
        <Brand />
        <nav aria-label="Main">
          <ul>
            <RailLink href="/" here={place.page === 'inbox'} icon={<InboxIcon />} word="Inbox" count={waiting} />
            <RailLink href="/runs" here={place.page === 'runs'} icon={<RunsIcon />} word="Runs" />
            <RailLink href="/new" here={place.page === 'new'} icon={<NewIcon />} word="New run" />
          </ul>
        </nav>
        <div className="rail-foot">
          <button type="button" className="rail-link rail-button" onClick={onKeys}>
            <KeysIcon />
            <span className="rail-word">Keys</span>
          </button>
        </div>
      </header>
      <p className="visually-hidden" role="status">
        {waiting === 0 ? 'Nothing waits for you' : `${waiting} waiting for you`}
      </p>
      <div className="banners" role="status">
        {connection.state === 'offline' && (
          <p className="banner">
            <OfflineIcon />
            The server does not answer. What you write is kept, and this page goes on by itself.
          </p>
        )}
      </div>
      <main className="panes">
        <section className="pane pane-list" id="list" tabIndex={-1} aria-labelledby="list-title">
          {list}
        </section>
        <section className="pane pane-detail" id="detail" tabIndex={-1} aria-labelledby="detail-title">
          {detail}
        </section>
      </main>
    </div>
  )
}

function RailLink(props: { href: string; here: boolean; icon: ReactNode; word: string; count?: number }) {
  const { href, here, icon, word, count = 0 } = props
  return (
    <li>
      <Link href={href} className="rail-link" aria-current={here ? 'page' : undefined}>
        {icon}
        <span className="rail-word">{word}</span>
        {count > 0 && (
          <span className="rail-count">
            {count}
            <span className="visually-hidden"> waiting</span>
          </span>
        )}
      </Link>
    </li>
  )
}
