import { useState } from 'react'
import { Dialog } from '../layout/dialog.tsx'
import { StopIcon } from '../layout/icons.tsx'
import { Note } from '../layout/note.tsx'
import { wordsOf } from '../state/problem.ts'

/** Stops a run, once its person has said so twice. */
export function StopButton({ onStop, asks }: { onStop: () => Promise<unknown>; asks: number }) {
  const [asking, setAsking] = useState(false)
  const [failure, setFailure] = useState<string>()
  const stop = (close: () => void) => {
    setFailure(undefined)
    onStop().then(close, (error: unknown) => setFailure(wordsOf(error)))
  }
  return (
    <>
      <button type="button" className="button button-small" onClick={() => setAsking(true)}>
        <StopIcon />
        Stop
      </button>
      {asking && (
        <Dialog title="Stop this run?" onClose={() => setAsking(false)}>
          {(close) => (
            <>
              <p>
                It ends now. A tool that is at work may or may not come to its end.
                {asks > 0 && ' What it asks you is withdrawn.'} You can write to it later, and it goes on.
              </p>
              {failure !== undefined && <Note tone="bad" title={failure} alert />}
              <div className="actions">
                <button type="button" className="button" onClick={close}>
                  Let it run
                </button>
                <button type="button" className="button button-danger" onClick={() => stop(close)}>
                  Stop the run
                </button>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  )
}
