import { type ReactNode, useEffect, useRef } from 'react'

/** A window over the page. Esc closes it, the keyboard stays in it, and the focus goes back to where it was. */
export function Dialog(props: { title: string; onClose: () => void; children: (close: () => void) => ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={props.onClose} aria-labelledby="dialog-title">
      <div className="dialog-body">
        <h2 id="dialog-title">{props.title}</h2>
        {props.children(() => dialog.current?.close())}
      </div>
    </dialog>
  )
}
