/** What extensions are written with: the built-in ones use nothing else. */

export type { AgentRecord } from './core/agent.ts'
export type { AgentFacts, Questions, RunFacts } from './core/agent-facts.ts'
export type {
  Actor,
  Ask,
  AskOption,
  AskRule,
  OnExpire,
  OpenedAsk,
  Outcome,
  SettledAsk,
  Settlement,
  Step,
  Withdrawal,
} from './core/ask.ts'
export { endResult } from './core/end-result.ts'
export { type Code, code, type Issue, QuerentError } from './core/error.ts'
export type { Trigger } from './core/event.ts'
export type { AskKind, CallContext, Extension, PreparedCall } from './core/extension.ts'
export { canonical, isObject, type Json, type JsonSchema } from './core/json.ts'
export type { ModelReply, UserInput, UserPart } from './core/model.ts'
export type { AskEvent, AskEventEnd, Notifier, NotifyContext } from './core/notifier.ts'
export { isAnswerable, type Question, questionAsk, questionKind } from './core/question.ts'
export { questionText } from './core/question-text.ts'
export {
  notAsked,
  type QuestionDialect,
  questionLimits,
  type ReadQuestion,
  readQuestion,
} from './core/read-question.ts'
export type { Driver, Parked, Session, Settled, Shown } from './core/session.ts'
export { defaultTexts, type Texts } from './core/texts.ts'
export {
  type Approval,
  type Checked,
  durationMs,
  type Failure,
  failure,
  type InnerQuestion,
  type InputSchema,
  inputSchemaOf,
  type Park,
  park,
  type Result,
  resultOf,
  type StartChild,
  startChild,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
  type ToolResult,
  tool,
} from './core/tool.ts'
export { type CheckOptions, checkAnswer } from './shape/check-answer.ts'
export { checkShape, type ShapeCheck, shapeLimits } from './shape/check-shape.ts'
export { answerLimits, checkSize } from './shape/check-size.ts'
