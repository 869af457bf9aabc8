import { type ReactNode, useMemo } from 'react'
import type { AskFormProps } from './ask-form-props.ts'
import { TextsProvider } from './field-props.ts'
import { OpenForm } from './open-form.tsx'
import { englishTexts } from './texts.ts'
import { useAskState } from './use-ask-state.ts'

/**
 * One form for every ask: a question with choices, free text or a shape, an approval, and what a stranger's extension
 * asks. It sends what it shows, and leaves to the server whether that fits.
 *
 * No style is built in. Its elements have stable class names (docs/ask-form.md), which `querent/react/ask-form.css` styles.
 */
export function AskForm({ ask, drafts, texts, ...props }: AskFormProps): ReactNode {
  const control = useAskState(ask.id, drafts)
  const words = useMemo(() => ({ ...englishTexts, ...texts }), [texts])
  return (
    <TextsProvider value={words}>
      <OpenForm key={ask.id} ask={ask} control={control} {...props} />
    </TextsProvider>
  )
}
