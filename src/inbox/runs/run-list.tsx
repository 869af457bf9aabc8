import { useState } from 'react'
import { Link } from 'wouter'
import { type RunSummary, visible } from '../../protocol/core.ts'
import { useClient } from '../../react/provider.tsx'
import { RunsIcon } from '../layout/icons.tsx'
import { Nothing } from '../layout/nothing.tsx'
import { Skeleton } from '../layout/skeleton.tsx'
import { Status } from '../layout/status.tsx'
import { runPath } from '../places.ts'
import { wordsOf } from '../state/problem.ts'
import { firstLine } from '../text/first-line.ts'
import { Instant } from '../time/instant.tsx'

/** `/api/events` gives no more. Older ones are read page by page. */
const maxLive = 50

/** My runs, newest first. */
export function RunList({ runs, loading, open }: { runs: RunSummary[]; loading: boolean; open?: string }) {
  const older = useOlderRuns(runs)
  return (
    <>
      <header className="pane-bar">
        <h1 id="list-title">Runs</h1>
        <div className="pane-bar-end">
          <Link href="/new" className="button button-small">
            New run
          </Link>
        </div>
      </header>
      <div className="pane-scroll">
        {loading && <Skeleton label="Loading your runs" />}
        {!loading && runs.length === 0 && (
          <Nothing icon={<RunsIcon />} title="No runs yet">
            <p>A run is one piece of work of an agent. It stops to ask you when it needs to.</p>
            <div className="actions">
              <Link href="/new" className="button button-primary">
                Start a run
              </Link>
            </div>
          </Nothing>
        )}
        <ol className="rows" data-rows>
          {[...runs, ...older.runs].map((run) => (
            <RunRow key={run.run} run={run} isOpen={run.run === open} />
          ))}
        </ol>
        {older.more && (
          <div className="rows-more">
            <button type="button" className="button button-small" disabled={older.loading} onClick={older.more}>
              Show older
            </button>
            {older.failure !== undefined && <p role="alert">{older.failure}</p>}
          </div>
        )}
      </div>
    </>
  )
}

function RunRow({ run, isOpen }: { run: RunSummary; isOpen: boolean }) {
  return (
    <li>
      <Link
        href={runPath(run.run)}
        className="row row-run"
        data-row={run.run}
        aria-current={isOpen ? 'true' : undefined}
      >
        <span className="row-body">
          <span className="row-top">
            <bdi className="row-agent">{visible(run.agent, 'line')}</bdi>
            <Status status={run.status} />
            <span className="row-time">
              <Instant at={run.startedAt} ago />
            </span>
          </span>
          <span className="row-text" dir="auto">
            {firstLine(run.title)}
          </span>
        </span>
      </Link>
    </li>
  )
}

/** Runs behind the live ones, as far as somebody asked for them. */
function useOlderRuns(live: RunSummary[]) {
  const client = useClient()
  const [state, setState] = useState<{ runs: RunSummary[]; cursor?: string; ended?: true; failure?: string }>({
    runs: [],
  })
  const [loading, setLoading] = useState(false)
  const [before, setBefore] = useState(live)
  const known = new Set(live.map(({ run }) => run))
  if (live !== before) {
    setBefore(live)
    // New runs push others off the end of the live ones: into the gap before those that were read.
    const passed = before.filter(({ run }) => !known.has(run))
    if (state.runs.length > 0 && passed.length > 0) setState({ ...state, runs: [...passed, ...state.runs] })
  }
  const read = async () => {
    setLoading(true)
    try {
      // The first page is the live one: its cursor is what leads on.
      const after = state.cursor ?? (await client.runs.list({ limit: maxLive })).cursor
      const { items, cursor } = after === undefined ? { items: [] } : await client.runs.list({ limit: maxLive, after })
      setState({ runs: [...state.runs, ...items], ...(cursor === undefined ? { ended: true } : { cursor }) })
    } catch (error) {
      setState({ ...state, failure: wordsOf(error) })
    } finally {
      setLoading(false)
    }
  }
  const hasMore = live.length >= maxLive && !state.ended
  return {
    runs: state.runs.filter(({ run }) => !known.has(run)),
    loading,
    failure: state.failure,
    more: hasMore ? () => void read() : undefined,
  }
}
