import type { Ask, AskEnd } from '../../protocol/core.ts'
import { Note } from '../layout/note.tsx'
import { PlainText } from '../text/plain-text.tsx'
import { Instant } from '../time/instant.tsx'
import { AnswerView, answerTo } from './answer-view.tsx'

/** How an ask ended: who, when, and what was said. */
export function AskEnding({ ask, end }: { ask: Ask; end: AskEnd }) {
  return (
    <Note
      tone={toneOf(end)}
      title={
        <>
          {wordsOf(ask, end)}{' '}
          <span className="note-more">
            <Instant at={end.at} />
          </span>
        </>
      }
    >
      {end.data !== undefined && <AnswerView data={answerTo(ask, end.data)} />}
      {end.reason !== undefined && <PlainText text={end.reason} />}
    </Note>
  )
}

function toneOf({ outcome }: AskEnd): 'good' | 'warn' | 'plain' {
  if (outcome === 'approved') return 'good'
  return outcome === 'expired' ? 'warn' : 'plain'
}

/** `you` is whoever started the run: here, on another device, or at a terminal. */
export function wordsOf({ kind }: Ask, { outcome, by, data }: AskEnd): string {
  const approved = data === undefined ? 'approved this' : 'approved this with a changed input'
  const done = kind === 'approval' ? approved : 'answered'
  const who = by === 'you' ? 'You' : 'The system'
  if (outcome === 'expired') return 'Expired: nobody answered in time.'
  if (outcome === 'withdrawn') return 'Withdrawn: no answer is needed any more.'
  return outcome === 'approved' ? `${who} ${done}` : `${who} refused`
}
