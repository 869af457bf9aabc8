import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Agent, Runner, RunState, tool, Usage } from '@openai/agents'
import { answer, done, question, request } from '../../script.ts'
import type { Script } from '../../script.ts'
import type { Place, System } from '../../system.ts'

/**
 * The SDK as its pages say to pause it: the tool needs approval, the `RunState` of the interrupted run is kept as text,
 * and given back to `run` after the answer. Where it is kept is the user's: here one row for each run, four writes.
 */
export async function open({ folder, script }: Place): Promise<System> {
  const db = new DatabaseSync(join(folder, 'agents.db'))
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table if not exists runs (id text primary key, status text not null, state text, answer text, output text)`)
  const insert = db.prepare("insert into runs (id, status) values (?, 'working')")
  const park = db.prepare("update runs set status = 'waiting', state = ?, answer = null where id = ?")
  const settle = db.prepare(
    "update runs set status = 'working', answer = ? where id = ? and status = 'waiting' returning state",
  )
  const finish = db.prepare("update runs set status = 'done', state = ?, output = ? where id = ?")
  const waiting = db.prepare("select count(*) as count from runs where status = 'waiting'")
  const agent = agentOf(script)
  const runner = new Runner({ tracingDisabled: true })
  type Result = Awaited<ReturnType<typeof go>>
  const go = (input: string | RunState<Context, typeof agent>, context: Context) =>
    runner.run(agent, input, { context, maxTurns: 10_000 })
  const keep = (run: string, result: Result) => {
    if (result.interruptions.length > 0) park.run(result.state.toString(), run)
    else if (result.finalOutput === done) finish.run(result.state.toString(), done, run)
    else throw new Error(`It ended with ${result.finalOutput}.`)
  }
  return {
    async start() {
      const run = randomUUID()
      insert.run(run)
      keep(run, await go(request, { answer: '' }))
      return run
    },
    async answer(run) {
      const row = settle.get(answer, run)
      if (!row) throw new Error('It is answered already.')
      const context: Context = { answer }
      const state = await RunState.fromString<Context, typeof agent>(agent, String(row.state))
      for (const interruption of state.getInterruptions()) state.approve(interruption)
      state._context.context = context
      keep(run, await go(state, context))
    },
    list: async () => Number(waiting.get()?.count),
    close: async () => db.close(),
  }
}

interface Context {
  answer: string
}

function agentOf(script: Script): Agent<Context> {
  const ask = tool({
    name: 'question',
    description: 'Asks the person.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    strict: false,
    needsApproval: true,
    execute: (_input, context) => (context?.context as Context).answer,
  })
  return new Agent<Context>({ name: 'asker', instructions: 'Ask.', tools: [ask], model: modelOf(script) })
}

function modelOf(script: Script) {
  return {
    async getResponse({ input }) {
      const items = typeof input === 'string' ? [] : input
      const asked = items.filter((item) => item.type === 'function_call').length
      const last = items.at(-1)
      const output = last?.type === 'function_call_result' ? last.output : undefined
      const text = typeof output === 'object' ? output.text : output
      const next = script.next(asked, text)
      const usage = new Usage({ requests: 1, inputTokens: 10, outputTokens: 10, totalTokens: 20 })
      return { usage, output: [next === 'ask' ? callOf(asked + 1) : message] }
    },
    getStreamedResponse() {
      throw new Error('Not streamed.')
    },
  }
}

function callOf(nth: number) {
  const call = { type: 'function_call', callId: `call_${nth}`, name: 'question', status: 'completed' }
  return { ...call, arguments: JSON.stringify(question) }
}

const message = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: done }],
}
