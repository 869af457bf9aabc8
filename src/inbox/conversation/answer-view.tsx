import { type Json, visible } from '../../protocol/core.ts'
import { PlainText } from '../text/plain-text.tsx'

type JsonObject = { [name: string]: Json }

/** What was answered, as a person reads it: texts as they are, flat values in lines, the rest as JSON. */
export function AnswerView({ data }: { data: Json }) {
  if (typeof data === 'string') return <PlainText text={data} />
  if (Array.isArray(data) && data.length > 0 && data.every(isScalar)) {
    return (
      <ul className="answer-list">
        {data.map((item) => (
          <li key={String(item)} dir="auto">
            {shown(item)}
          </li>
        ))}
      </ul>
    )
  }
  if (isFlat(data)) {
    return (
      <dl className="answer-fields">
        {Object.entries(data).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{visible(name, 'line')}</dt>
            <dd dir="auto">{Array.isArray(value) ? value.map(shown).join(', ') : shown(value)}</dd>
          </div>
        ))}
      </dl>
    )
  }
  return <JsonText value={data} />
}

/** A value exactly, for eyes. Long lines wrap: what would have to be scrolled to is overlooked. */
export function JsonText({ value }: { value: Json }) {
  return (
    <pre className="json" dir="ltr">
      {visible(JSON.stringify(value, null, 2))}
    </pre>
  )
}

function isScalar(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

function isFlat(value: Json): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const values = Object.values(value)
  return values.length > 0 && values.every((each) => isScalar(each) || (Array.isArray(each) && each.every(isScalar)))
}

function shown(value: Json): string {
  return typeof value === 'string' ? visible(value) : JSON.stringify(value)
}
