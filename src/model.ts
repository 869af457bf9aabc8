export { type Code, code, QuerentError } from './core/error.ts'
export type { Json, JsonSchema } from './core/json.ts'
export {
  type AssistantMessage,
  isModel,
  type Model,
  type ModelCall,
  ModelError,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelSettings,
  type ModelTool,
  type TextDelta,
  type ToolMessage,
  type Usage,
  type UserInput,
  type UserMessage,
  type UserPart,
} from './core/model.ts'
