import { type Ask, askedOf, type Json, visible } from '../../protocol/core.ts'
import { PlainText } from '../text/plain-text.tsx'

type JsonObject = { [name: string]: Json }

/** Deeper than this, lines of lines are harder to read than JSON. */
const maxDepth = 3

/** What was answered, as a person reads it: texts as they are, values in lines, the rest as JSON. */
export function AnswerView({ data, depth = 0 }: { data: Json; depth?: number }) {
  if (depth > 0 && isScalar(data)) return shown(data)
  if (typeof data === 'string') return <PlainText text={data} />
  if (Array.isArray(data) && data.length > 0 && data.every(isScalar)) {
    if (depth > 0) return data.map(shown).join(', ')
    return (
      <ul className="answer-list">
        {data.map((item, index) => (
          // An own answer may be the same as a choice: its place is what it is.
          <li key={`${index} ${item}`} dir="auto">
            {shown(item)}
          </li>
        ))}
      </ul>
    )
  }
  if (isObject(data) && depth < maxDepth) {
    return (
      <dl className="answer-fields">
        {Object.entries(data).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto">{visible(name, 'line')}</dt>
            <dd dir="auto">
              <AnswerView data={value} depth={depth + 1} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <JsonText value={data} />
}

/** What a person answered, without what only programs need around it: a changed input, choices with a text of one's own. */
export function answerTo(ask: Ask, data: Json): Json {
  if (!isObject(data)) return data
  if (ask.kind === 'approval') return data.input ?? data
  const { selected, other } = data
  const isChosen = askedOf(ask).choices?.other && Array.isArray(selected) && typeof other === 'string'
  return isChosen ? [...selected, other] : data
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

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
}

function shown(value: Json): string {
  return typeof value === 'string' ? visible(value) : JSON.stringify(value)
}
