import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { code } from '../protocol/core.ts'
import { useAsks, useConnection, useRuns } from '../react/use-lists.ts'
import { AskList } from './asks/ask-list.tsx'
import { AskPage } from './asks/ask-page.tsx'
import { KeysDialog } from './keys/keys-dialog.tsx'
import { useShortcuts } from './keys/use-shortcuts.ts'
import { Frame } from './layout/frame.tsx'
import { CheckIcon, InboxIcon, RunsIcon } from './layout/icons.tsx'
import { Nothing } from './layout/nothing.tsx'
import { SignIn } from './layout/sign-in.tsx'
import { UnknownPlace } from './layout/unknown-place.tsx'
import { useFocusOnMove } from './layout/use-focus-on-move.ts'
import { type Place, placeOf } from './places.ts'
import { NewRun } from './runs/new-run.tsx'
import { RunList } from './runs/run-list.tsx'
import { RunPage } from './runs/run-page.tsx'

/** The page: the place in its address decides which list there is, and what of it is open. */
export function App() {
  const place = placeOf(useLocation()[0], useSearch())
  const { asks, loading } = useAsks()
  const { runs } = useRuns()
  const { connection, reconnect } = useConnection()
  const [showsKeys, setShowsKeys] = useState(false)
  useShortcuts(place, () => setShowsKeys(true))
  useFocusOnMove(place)
  useTitle(place, asks.length)
  if (connection.state === 'offline' && connection.error.is(code.T0007)) {
    return <SignIn error={connection.error} onSignedIn={reconnect} />
  }
  const list =
    place.page === 'inbox' || place.page === 'unknown' ? (
      <AskList asks={asks} loading={loading} open={'ask' in place ? place.ask : undefined} />
    ) : (
      <RunList runs={runs} loading={loading} open={'run' in place ? place.run : undefined} />
    )
  return (
    <>
      <Frame
        place={place}
        waiting={asks.length}
        connection={connection}
        onKeys={() => setShowsKeys(true)}
        list={list}
        detail={<Detail place={place} asks={asks} loading={loading} />}
      />
      {showsKeys && <KeysDialog onClose={() => setShowsKeys(false)} />}
    </>
  )
}

function Detail({ place, asks, loading }: { place: Place } & Pick<ReturnType<typeof useAsks>, 'asks' | 'loading'>) {
  switch (place.page) {
    case 'inbox':
      if (place.ask !== undefined) return <AskPage id={place.ask} run={place.run} asks={asks} loading={loading} />
      if (loading) return <Unopened icon={<InboxIcon />} title="Inbox" />
      if (asks.length === 0) return <Unopened icon={<CheckIcon />} title="All clear" isEmpty />
      return <Unopened icon={<InboxIcon />} title={`${asks.length} waiting for you`} />
    case 'runs':
      return place.run === undefined ? (
        <Unopened icon={<RunsIcon />} title="No run is open" />
      ) : (
        <RunPage id={place.run} />
      )
    case 'new':
      return <NewRun />
    case 'unknown':
      return <UnknownPlace />
  }
}

/** The second pane while nothing is open in it. `isEmpty`: nor is there anything that could be. */
function Unopened({ icon, title, isEmpty = false }: { icon: React.ReactNode; title: string; isEmpty?: boolean }) {
  return (
    <Nothing icon={icon} title={title}>
      <p id="detail-title">
        {isEmpty ? (
          <>
            <kbd>n</kbd> starts a run, <kbd>?</kbd> lists all keys.
          </>
        ) : (
          <>
            Choose one in the list. <kbd>j</kbd> and <kbd>k</kbd> move in it, <kbd>Enter</kbd> opens, <kbd>?</kbd> lists
            all keys.
          </>
        )}
      </p>
    </Nothing>
  )
}

function useTitle(place: Place, waiting: number): void {
  const name = { inbox: 'Inbox', runs: 'Runs', new: 'New run', unknown: 'Not found' }[place.page]
  const title = `${waiting > 0 ? `(${waiting}) ` : ''}${name} · Querent`
  useEffect(() => {
    document.title = title
  }, [title])
}
