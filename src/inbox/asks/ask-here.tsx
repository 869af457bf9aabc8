import type { ReactNode } from 'react'
import { AskForm } from '../../ask-form/ask-form.tsx'
import { localDrafts } from '../../ask-form/drafts.ts'
import type { Ask } from '../../protocol/core.ts'
import { useAsks } from '../../react/use-lists.ts'
import { Markdown } from '../text/markdown.tsx'
import { AskCard } from './ask-card.tsx'

const drafts = localDrafts()
const renderText = (text: string) => <Markdown text={text} />

/** An ask with its form. `disabled`: it can be read, and nothing can be sent. */
export function AskHere(props: { ask: Ask; disabled?: boolean; alone?: boolean; children?: ReactNode }) {
  const { ask, disabled = false, alone, children } = props
  const { approve, refuse } = useAsks()
  return (
    <AskCard ask={ask} isOpen={!disabled} alone={alone}>
      {children}
      <AskForm
        ask={ask}
        drafts={drafts}
        renderText={renderText}
        disabled={disabled}
        onAnswer={(answer) => approve(ask, answer)}
        onRefuse={(refusal) => refuse(ask, refusal)}
      />
    </AskCard>
  )
}
