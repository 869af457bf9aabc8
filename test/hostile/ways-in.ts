import type { Ask, Engine, Json } from 'querent'
import { helperOf } from '../engine/world.ts'
import type { Served } from '../server/served.ts'

/** A way in which an answer comes: the code of the refusal, or nothing where it was taken. */
export interface WayIn {
  name: string
  /** `text`: the answer as JSON, exactly as it is written. `chat`: the key of the run. */
  send(ask: Ask, text: string, chat: string): Promise<string | undefined>
}

/** In process, over HTTP by step and by id, and in the history that a chat page posts. */
export function waysIn(engine: Engine, served: Served): WayIn[] {
  const post = async (ask: Ask, body: string) => {
    const answer = await served.ask(`/api/runs/${ask.run}/approve`, { as: 'ann', body })
    return answer.status === 200 ? undefined : (answer.body as { code: string }).code
  }
  return [
    {
      name: 'in process',
      send: (ask, text) => codeOf(helperOf(engine, 'asker').approve(ask, { data: JSON.parse(text) as Json })),
    },
    { name: 'HTTP, by step', send: (ask, text) => post(ask, `{"data":${text},"step":${JSON.stringify(ask.step)}}`) },
    { name: 'HTTP, by id', send: (ask, text) => post(ask, `{"ask":${JSON.stringify(ask.id)},"data":${text}}`) },
    {
      name: 'a chat',
      async send(ask, text, chat) {
        const id = JSON.stringify(ask.id)
        const part = `{"type":"tool-question","toolCallId":${id},"state":"output-available","input":{},"output":${text}}`
        const message = `{"id":"m","role":"assistant","parts":[${part}]}`
        const body = `{"id":${JSON.stringify(chat)},"trigger":"submit-message","messages":[${message}]}`
        const answer = await served.ask('/api/agents/asker/chat', { as: 'ann', body })
        // What did not count is told in the stream, as an error.
        return /"code\\*":\\*"(T\d{4})/.exec(JSON.stringify(answer.body))?.[1]
      },
    },
  ]
}

async function codeOf(settling: Promise<unknown>): Promise<string | undefined> {
  try {
    await settling
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}
