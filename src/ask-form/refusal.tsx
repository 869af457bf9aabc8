import type { ReactNode } from 'react'
import { useTexts } from './field-props.ts'

export interface RefusalProps {
  id: string
  reason: string
  onType(reason: string): void
  onRefuse(): void
  onBack(): void
}

/** Refusing: a reason, which may be left blank. */
export function Refusal({ id, reason, onType, onRefuse, onBack }: RefusalProps): ReactNode {
  const texts = useTexts()
  return (
    <fieldset className="querent-refusal">
      <legend className="querent-label">{texts.refuse}</legend>
      <label className="querent-label" htmlFor={`${id}-why`}>
        {texts.why}
      </label>
      <textarea
        id={`${id}-why`}
        className="querent-input"
        rows={2}
        dir="auto"
        value={reason}
        onChange={({ target }) => onType(target.value)}
      />
      <div className="querent-actions">
        <button type="button" className="querent-button querent-danger" onClick={onRefuse}>
          {texts.refuse}
        </button>
        <button type="button" className="querent-button querent-quiet" onClick={onBack}>
          {texts.back}
        </button>
      </div>
    </fieldset>
  )
}
