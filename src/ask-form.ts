export { AskForm } from './ask-form/ask-form.tsx'
export type { AskFormProps } from './ask-form/ask-form-props.ts'
export { type Drafts, type DraftStorage, localDrafts } from './ask-form/drafts.ts'
export { type AskFormTexts, englishTexts } from './ask-form/texts.ts'
