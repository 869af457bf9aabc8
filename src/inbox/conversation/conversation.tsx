import { Fragment, type ReactNode, useState } from 'react'
import { type ViewMessage, visible } from '../../protocol/core.ts'
import type { ToolCall } from '../../react/run-store.ts'
import { CheckIcon, CrossIcon, ToolIcon } from '../layout/icons.tsx'
import type { Entry } from './entries.ts'
import { Message } from './message.tsx'

type AskLine = ViewMessage & { role: 'ask' }

/** What was said, done and asked, oldest first. `shown`: of a longer one only so many at first, the newest. */
export function Conversation(props: {
  entries: Entry[]
  agent: string
  shown?: number
  drawAsk: (line: AskLine) => ReactNode
  children?: ReactNode
}) {
  const { entries, agent, shown = entries.length, drawAsk, children } = props
  const [isWhole, setWhole] = useState(false)
  const hidden = isWhole ? 0 : Math.max(entries.length - shown, 0)
  return (
    <div className="conversation" role="log" aria-label="Conversation">
      {hidden > 0 && (
        <button type="button" className="button button-small earlier" onClick={() => setWhole(true)}>
          Show {hidden} earlier
        </button>
      )}
      {entries.slice(hidden).map((entry) => {
        if ('calls' in entry) return <ToolLines key={entry.seq} calls={entry.calls} />
        const { line } = entry
        if (line.role === 'ask') return <Fragment key={line.ask.id}>{drawAsk(line)}</Fragment>
        return <Message key={entry.seq} message={line} agent={agent} />
      })}
      {children}
    </div>
  )
}

/** Tools by their names. What they were given and what they gave is the operator's to see. */
function ToolLines({ calls }: { calls: ToolCall[] }) {
  return (
    <ul className="tools">
      {calls.map((call) => (
        <li key={call.seq} className={call.failed ? 'tool tool-failed' : 'tool'}>
          {call.failed ? <CrossIcon /> : call.state === 'returned' ? <CheckIcon /> : <ToolIcon />}
          <span>
            <code>{visible(call.tool, 'line')}</code> {wordOf(call)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function wordOf({ state, failed }: ToolCall): string {
  if (failed) return 'failed'
  return state === 'returned' ? 'done' : 'is running …'
}
