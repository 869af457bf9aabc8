import { visible } from '../../protocol/core.ts'

/** Untrusted text as it was written, line by line, with nothing hidden. */
export function PlainText({ text }: { text: string }) {
  return (
    <p className="plain" dir="auto">
      {visible(text)}
    </p>
  )
}
