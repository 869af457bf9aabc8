import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { Command, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { answer, done, question, request } from '../../script.ts'
import type { Script } from '../../script.ts'
import type { Place, System } from '../../system.ts'
import { betterSqlite } from './sqlite.ts'

/**
 * A graph of a model and a question, which interrupts; resumed with a command. As it comes, or `sync`: checkpoints are
 * written before the next step, and SQLite waits for the disk. `postgres`: likewise, with the Postgres saver.
 */
export async function open(place: Place): Promise<System> {
  const { saver, close } = await saverOf(place)
  const graph = graphOf(place.script).compile({ checkpointer: saver })
  const durability = place.variant === '' ? undefined : 'sync'
  const configOf = (run: string) => ({ configurable: { thread_id: run }, durability, recursionLimit: 10_000 })
  return {
    async start() {
      const run = randomUUID()
      const state = await graph.invoke({ messages: [new HumanMessage(request)] }, configOf(run))
      if (!state.__interrupt__?.length) throw new Error('It did not interrupt.')
      return run
    },
    async answer(run) {
      const state = await graph.invoke(new Command({ resume: answer }), configOf(run))
      const text = state.messages.at(-1)?.content
      if (!state.__interrupt__?.length && text !== done) throw new Error(`It ended with ${text}.`)
    },
    close,
  }
}

async function saverOf({ folder, database, variant }: Place) {
  if (variant === 'postgres') {
    const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres')
    const saver = PostgresSaver.fromConnString(database)
    await saver.setup()
    return { saver, close: () => saver.end() }
  }
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite')
  const db = betterSqlite(join(folder, 'langgraph.db'), variant === 'sync' ? 'full' : 'normal')
  return { saver: new SqliteSaver(db), close: async () => db.close() }
}

function graphOf(script: Script) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', ({ messages }) => ({ messages: [replyTo(script, messages)] }))
    .addNode('question', ({ messages }) => {
      const call = messages.at(-1).tool_calls[0]
      const said = interrupt(call.args)
      return { messages: [new ToolMessage({ content: said, tool_call_id: call.id })] }
    })
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'question' : END))
    .addEdge('question', 'model')
}

function replyTo(script: Script, messages) {
  const asked = messages.filter((message) => message.getType() === 'ai').length
  if (script.next(asked, messages.at(-1).content) === 'end') return new AIMessage(done)
  return new AIMessage({ content: '', tool_calls: [{ id: `call_${asked + 1}`, name: 'question', args: question }] })
}
