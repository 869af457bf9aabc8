/* What the two ends of the wire share of the core: the client knows nothing else of it. */

export type { AgentRecord, Output } from '../core/agent.ts'
export type { Person } from '../core/agent-facts.ts'
export { type Clock, jittered, nextTurn, pause, randomId, systemClock } from '../core/ambient.ts'
export type { Ask, AskAt, AskOption, AskRef, Step } from '../core/ask.ts'
export { type Code, code, type ErrorData, type Issue, QuerentError, titleOf } from '../core/error.ts'
export type { RunStatus } from '../core/event.ts'
export { type Listed, limitsOf, listedValues, typeNames } from '../core/flat-shape.ts'
export type {
  AgentSummary,
  Answer,
  Connection,
  Helper,
  ListPage,
  OwnRunFilter,
  PersonEvent,
  PersonHandle,
  PersonRuns,
  Refusal,
  RunActions,
  RunFilter,
  Settling,
  StreamOptions,
} from '../core/helper.ts'
export { canonical, isObject, type Json, type JsonSchema } from '../core/json.ts'
export type { Usage, UserInput } from '../core/model.ts'
export { askedOf, questionText } from '../core/question-text.ts'
export { readValue } from '../core/read-value.ts'
export { referredTo } from '../core/reference.ts'
export {
  type AskEnd,
  addToConversation,
  endOf,
  isoOf,
  newestText,
  type RunSummary,
  type RunView,
  textOf,
  type ViewEvent,
  type ViewMessage,
} from '../core/view.ts'
export { visible } from '../core/visible.ts'
