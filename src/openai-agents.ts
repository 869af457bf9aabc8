/** Agents of the OpenAI Agents SDK (`@openai/agents`), which ask, park and go on as ours. */

export { askTool } from './drivers/openai-agents/ask-tool.ts'
export { type OpenAIAgentsOptions, openaiAgents } from './drivers/openai-agents/openai-agents.ts'
