import { useState } from 'react'
import { Dialog } from '../layout/dialog.tsx'
import { hasLetters, setLetters } from './shortcuts.ts'

const keys: [key: string, what: string][] = [
  ['j', 'next in the list (also ↓)'],
  ['k', 'previous (also ↑)'],
  ['Enter', 'open it'],
  ['Esc', 'leave a field, then go back to the list'],
  ['Ctrl Enter', 'send an answer (⌘ Enter on a Mac)'],
  ['i', 'inbox'],
  ['r', 'runs'],
  ['n', 'start a run'],
  ['?', 'this list'],
]

/** Which keys there are, and whether single letters count. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [letters, turn] = useState(hasLetters)
  const onLetters = (on: boolean) => {
    setLetters(on)
    turn(on)
  }
  return (
    <Dialog title="Keys" onClose={onClose}>
      {(close) => (
        <>
          <dl className="keys">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  {key.split(' ').map((part) => (
                    <kbd key={part}>{part}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <label className="check">
            <input type="checkbox" checked={letters} onChange={(event) => onLetters(event.target.checked)} />
            Use single letters as shortcuts
          </label>
          <div className="actions">
            <button type="button" className="button" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
