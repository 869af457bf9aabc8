export { type AskOptions, ask } from './extensions/ask/ask.ts'
