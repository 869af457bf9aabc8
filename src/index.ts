export { createEngine, type DelegateOptions, delegate } from './builtin.ts'
export { type AgentOptions, type AgentRecord, type AiSdkTool, agent, type Output } from './core/agent.ts'
export type { Access, Guard, GuardContext, Limits, Person, Questions } from './core/agent-facts.ts'
export type { Clock } from './core/ambient.ts'
export type { Actor, Ask, AskAt, AskOption, AskRef, OnExpire, Outcome, Step } from './core/ask.ts'
export { type Code, code, type ErrorData, type Issue, QuerentError } from './core/error.ts'
export type { EventData, EventType, RunEvent, RunStatus, Starter, Trigger } from './core/event.ts'
export type {
  AgentSummary,
  Answer,
  Connection,
  Helper,
  ListOptions,
  ListPage,
  PersonEvent,
  PersonHandle,
  PersonRuns,
  Refusal,
  RunActions,
  RunFilter,
  Settling,
  StreamOptions,
} from './core/helper.ts'
export type { Json, JsonSchema } from './core/json.ts'
export type { ModelSettings, Usage, UserInput, UserPart } from './core/model.ts'
export type { AskEvent, AskEventEnd, Notifier, NotifyContext } from './core/notifier.ts'
export { questionText } from './core/question-text.ts'
export { type ReadAnswer, readAnswer } from './core/read-answer.ts'
export { defaultTexts, type Texts } from './core/texts.ts'
export {
  type Approval,
  type InnerAnswer,
  type InnerQuestion,
  type InputSchema,
  type ToolContext,
  type ToolDefinition,
  type ToolOptions,
  tool,
} from './core/tool.ts'
export type { AskEnd, DelegatedViewEvent, RunSummary, RunView, ViewEvent, ViewMessage } from './core/view.ts'
export type { Notify } from './engine/announce.ts'
export { defineConfig, type QuerentConfig } from './engine/config.ts'
export type { Finding } from './engine/doctor.ts'
export type { Engine, EngineOptions, Runs } from './engine/engine.ts'
export type { Logger } from './engine/parts.ts'
