export { type Client, type ClientOptions, createClient } from './client/client.ts'
export type { RequestHeaders } from './client/http.ts'
export {
  type Ask,
  type AskAt,
  type AskOption,
  type Code,
  code,
  type Helper,
  type Json,
  type ListPage,
  type PersonEvent,
  type PersonHandle,
  type PersonRuns,
  QuerentError,
  type RunFilter,
  type RunStatus,
  type RunSummary,
  type RunView,
  type Settling,
  type UserInput,
  type ViewEvent,
  type ViewMessage,
} from './protocol/core.ts'
