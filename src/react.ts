'use client'

export type {
  AgentRecord,
  Ask,
  AskAt,
  AskEnd,
  AskOption,
  Connection,
  PersonHandle,
  RunStatus,
  RunSummary,
  Settling,
  UserInput,
  ViewMessage,
} from './protocol/core.ts'
export { QuerentProvider, type QuerentProviderProps, useClient } from './react/provider.tsx'
export type { RunState, ToolCall } from './react/run-store.ts'
export {
  type AgentHook,
  type AsksHook,
  type ConnectionHook,
  type RunsHook,
  useAgent,
  useAsks,
  useConnection,
  useRuns,
} from './react/use-lists.ts'
export { type RunHook, useRun } from './react/use-run.ts'
export { useServerNow } from './react/use-server-now.ts'
