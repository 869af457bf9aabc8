import { memo } from 'react'
import { type ViewMessage, visible } from '../../protocol/core.ts'
import { Markdown } from '../text/markdown.tsx'
import { PlainText } from '../text/plain-text.tsx'
import { Instant } from '../time/instant.tsx'

type Said = Exclude<ViewMessage, { role: 'ask' }>

/**
 * What a person wrote, as they wrote it; what the agent wrote, as Markdown. It never changes: drawn anew with each word
 * that comes at the end, a conversation of some hundred messages was seconds behind.
 */
export const Message = memo(function Message({ message, agent }: { message: Said; agent: string }) {
  const { role, text, at } = message
  const isMine = role === 'user'
  return (
    <div className={isMine ? 'message message-mine' : 'message message-theirs'}>
      <p className="message-from">
        <span className="message-name">{isMine ? 'You' : visible(agent, 'line')}</span> <Instant at={at} />
      </p>
      <div className="message-text">{isMine ? <PlainText text={text} /> : <Markdown text={text} />}</div>
    </div>
  )
})

/** Text that the agent is writing. It is not announced word by word: the message that follows is. */
export function LiveMessage({ agent, text }: { agent: string; text: string }) {
  return (
    <div className="message message-theirs">
      <p className="message-from">
        <span className="message-name">{visible(agent, 'line')}</span>
      </p>
      <div className="message-text">{text === '' ? <Thinking /> : <Markdown text={text} />}</div>
    </div>
  )
}

function Thinking() {
  return (
    <p className="thinking">
      <span className="thinking-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      Thinking
    </p>
  )
}
