import type { ReactNode } from 'react'
import { useTexts } from './field-props.ts'

export interface ActionsProps {
  /** An approval: its button is no submit button, so that Enter in a field approves nothing. */
  decides: boolean
  canEdit: boolean
  isEditing: boolean
  onSend(): void
  onEdit(): void
  onRefuse(): void
}

/** What can be done with an ask. */
export function Actions({ decides, canEdit, isEditing, onSend, onEdit, onRefuse }: ActionsProps): ReactNode {
  const texts = useTexts()
  return (
    <div className="querent-actions">
      {decides ? (
        <button type="button" className="querent-button querent-primary" onClick={onSend}>
          {isEditing ? texts.approveChanged : texts.approve}
        </button>
      ) : (
        <button type="submit" className="querent-button querent-primary">
          {texts.send}
        </button>
      )}
      {canEdit ? (
        <button type="button" className="querent-button" onClick={onEdit}>
          {isEditing ? texts.keepInput : texts.changeInput}
        </button>
      ) : null}
      <button type="button" className="querent-button querent-refuse" onClick={onRefuse}>
        {texts.refuseOpen}
      </button>
    </div>
  )
}
