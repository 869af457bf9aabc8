import type { Json, RunStatus } from '../../protocol/core.ts'
import type { RunHook } from '../../react/use-run.ts'
import { AnswerView } from '../conversation/answer-view.tsx'
import { Note } from '../layout/note.tsx'
import { remedyOf } from '../state/problem.ts'
import { PlainText } from '../text/plain-text.tsx'
import { Instant } from '../time/instant.tsx'

/** How a run ended, what came of it, and what it used. */
export function RunEnd({ run, status }: { run: RunHook; status: RunStatus }) {
  const { output, error, usage, endedAt, text } = run
  return (
    <div className="run-end">
      {/* An output that is the last text stands above already. */}
      {status === 'done' && output !== undefined && output !== text && (
        <Note tone="good" title="Result">
          <AnswerView data={output as Json} />
        </Note>
      )}
      {status === 'failed' && error && (
        <Note tone="bad" title={<>This run failed ({error.code})</>}>
          <PlainText text={error.message} />
          {remedyOf(error.code) !== undefined && <p>{remedyOf(error.code)}</p>}
        </Note>
      )}
      {status === 'stopped' && (
        <Note tone="plain" title="You stopped this run">
          <p className="note-more">Write to it below, and it goes on.</p>
        </Note>
      )}
      {usage && usage.totalTokens > 0 && (
        <p className="usage">
          {usage.estimated && 'about '}
          {usage.inputTokens.toLocaleString()} tokens in, {usage.outputTokens.toLocaleString()} out
          {endedAt !== undefined && (
            <>
              {' · ended '}
              <Instant at={endedAt} />
            </>
          )}
        </p>
      )}
    </div>
  )
}
