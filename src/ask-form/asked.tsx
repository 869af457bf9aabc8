import { type ReactNode, type Ref, useMemo } from 'react'
import { type Ask, isObject, type Json, visible } from '../protocol/core.ts'
import { useTexts } from './field-props.ts'

/** What is asked, safe to read: nothing in it is hidden, nothing in it acts. */
export function Asked({ ask, id, renderText, box }: AskedProps): ReactNode {
  const { kind, input } = ask
  if (kind === 'approval') return <Call ask={ask} id={id} box={box} />
  const question = isObject(input) && typeof input.question === 'string' ? visible(input.question) : undefined
  return (
    <div id={id} ref={box} tabIndex={-1} className="querent-question" dir="auto">
      {question === undefined ? (
        <pre className="querent-value">{jsonText(input)}</pre>
      ) : (
        (renderText?.(question) ?? question)
      )}
    </div>
  )
}

export interface AskedProps {
  ask: Ask
  id: string
  renderText?: ((text: string) => ReactNode) | undefined
  box: Ref<HTMLDivElement>
}

/** A call that waits to be approved: the tool, and its input exactly as it will run. */
function Call({ ask: { tool, input }, id, box }: Pick<AskedProps, 'ask' | 'id' | 'box'>): ReactNode {
  const texts = useTexts()
  const fields = isObject(input) ? Object.entries(input) : undefined
  const whole = useMemo(() => jsonText(input), [input])
  return (
    <div id={id} ref={box} tabIndex={-1} className="querent-call">
      <p className="querent-tool" dir="auto">
        {texts.wantsToRun(visible(tool, 'line'))}
      </p>
      {fields === undefined ? <pre className="querent-value">{whole}</pre> : null}
      {fields?.length === 0 ? <p className="querent-value">{texts.noInput}</p> : null}
      {fields?.length ? (
        <>
          <dl className="querent-inputs">
            {fields.map(([name, value]) => (
              <div key={name} className="querent-pair">
                <dt>
                  <bdi>{visible(name, 'line')}</bdi>
                </dt>
                <dd>
                  <pre className="querent-value" dir="auto">
                    {shownText(value)}
                  </pre>
                </dd>
              </div>
            ))}
          </dl>
          <details className="querent-raw">
            <summary>JSON</summary>
            <pre className="querent-value">{whole}</pre>
          </details>
        </>
      ) : null}
    </div>
  )
}

/** A text as it stands; as JSON, in quotes, where it could be taken for another value or its ends cannot be seen. */
function shownText(value: Json): string {
  const isPlain =
    typeof value === 'string' && value !== '' && value.trim() === value.replace(/\n$/, '') && !isJson(value)
  return isPlain ? visible(value) : jsonText(value)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function jsonText(value: Json): string {
  return visible(JSON.stringify(value, null, 2))
}
