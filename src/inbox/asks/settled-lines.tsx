import { type Ask, type AskEnd, visible } from '../../protocol/core.ts'
import { AnswerView, answerTo } from '../conversation/answer-view.tsx'
import { wordsOf } from '../conversation/ask-ending.tsx'
import { PlainText } from '../text/plain-text.tsx'
import { Instant } from '../time/instant.tsx'
import { WasAsked } from './ask-card.tsx'

/** An ask that is over as a part of what was said: the question of the agent, and the answer as what somebody said to it. */
export function SettledLines({ ask, end }: { ask: Ask; end: AskEnd }) {
  const hasWords = end.data !== undefined || end.reason !== undefined
  return (
    <>
      <div className="message message-theirs">
        <p className="message-from">
          <span className="message-name">{visible(ask.agent, 'line')}</span> <Instant at={ask.since} />
        </p>
        <div className="message-text">
          <WasAsked ask={ask} />
        </div>
      </div>
      <div className="message message-mine">
        <p className="message-from">
          {wordsOf(ask, end)} <Instant at={end.at} />
        </p>
        {hasWords && (
          <div className="message-text">
            {end.data !== undefined && <AnswerView data={answerTo(ask, end.data)} />}
            {end.reason !== undefined && <PlainText text={end.reason} />}
          </div>
        )}
      </div>
    </>
  )
}
