import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { randomId } from '../../protocol/core.ts'
import { SendIcon } from '../layout/icons.tsx'
import { Note } from '../layout/note.tsx'
import { wordsOf } from '../state/problem.ts'
import { useDraft } from '../state/use-draft.ts'

/** Where a person writes to a run. A message that may not have arrived is sent again with its key, and counts once. */
export function Composer(props: {
  run: string
  asks: number
  isOver: boolean
  onSay: (message: { text: string; key: string }) => Promise<unknown>
}) {
  const { run, asks, isOver, onSay } = props
  const { text, setText, forget } = useDraft(`say.${run}`)
  const [failure, setFailure] = useState<string>()
  const [sending, setSending] = useState(false)
  const sent = useRef({ text: '', key: '' })
  const send = async () => {
    const said = text.trim()
    if (said === '' || sending) return
    if (sent.current.text !== said) sent.current = { text: said, key: randomId('key') }
    setSending(true)
    setFailure(undefined)
    try {
      await onSay(sent.current)
      sent.current = { text: '', key: '' }
      forget(text)
    } catch (error) {
      setFailure(wordsOf(error))
    } finally {
      setSending(false)
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
    event.preventDefault()
    void send()
  }
  return (
    <form className="composer" onSubmit={onSubmit}>
      <div className="composer-inner">
        {failure !== undefined && <Note tone="bad" title={failure} alert />}
        <div className="composer-line">
          <textarea
            className="text-input"
            rows={1}
            aria-label={isOver ? 'Write to go on with this run' : 'Write to this run'}
            placeholder={isOver ? 'Go on with a message …' : 'Say something …'}
            aria-describedby={asks > 0 ? 'composer-hint' : undefined}
            value={text}
            dir="auto"
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
          <button type="submit" className="button button-primary button-icon" disabled={sending} aria-label="Send">
            <SendIcon />
          </button>
        </div>
        {asks > 0 && (
          <p className="field-hint" id="composer-hint">
            A message takes the place of an answer: what is asked above is withdrawn.
          </p>
        )}
      </div>
    </form>
  )
}

/** Enter that takes a word of an input method sends nothing. Safari says so by the key code alone. */
function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229
}
