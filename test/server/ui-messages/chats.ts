import { Chat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import type { Served } from '../served.ts'

/** A chat as a page has it: the class behind `useChat`, over its own transport, and what it sent. */
export interface PageChat {
  chat: Chat<UIMessage>
  /** Bodies of the posts, in order. */
  posted: { messages: UIMessage[] }[]
  /** Errors as problems, in order. */
  errors: { code: string; detail: string; data?: { ask?: string } }[]
  /** The run of the newest reply. */
  run(): string
  /** Does something that sends, and resolves when the page is idle again. */
  after(act: () => unknown): Promise<void>
  /** Resolves when the newest message shows this text. */
  shows(text: string): Promise<void>
  /** Resumes the stream, and resolves when the server has answered. */
  resume(): Promise<{ ended: Promise<void> }>
  /** The parts of the newest message, without what marks its steps. */
  parts(): UIMessage['parts']
}

export interface PageOptions {
  id?: string
  person?: string
  agent?: string
  messages?: UIMessage[]
  /** Whether it posts by itself when all is answered. Default: true. */
  sends?: boolean
}

export function openChat(served: Pick<Served, 'url'>, options: PageOptions = {}): PageChat {
  const { id = 'chat-1', person = 'ann', agent = 'asker', messages, sends = true } = options
  const posted: PageChat['posted'] = []
  const errors: PageChat['errors'] = []
  let onIdle: (() => void) | undefined
  const chat = new Chat<UIMessage>({
    id,
    ...(messages ? { messages } : {}),
    transport: new DefaultChatTransport({
      api: `${served.url}/api/agents/${agent}/chat`,
      headers: { authorization: `Bearer ${person}` },
      fetch: (url, init) => {
        if (typeof init?.body === 'string') posted.push(JSON.parse(init.body))
        return fetch(url, init)
      },
    }),
    sendAutomaticallyWhen: (state) =>
      sends &&
      (lastAssistantMessageIsCompleteWithToolCalls(state) ||
        lastAssistantMessageIsCompleteWithApprovalResponses(state)),
    onError: (error) => errors.push(JSON.parse(error.message)),
    onFinish: () => onIdle?.(),
  })
  const parts = () => (chat.messages.at(-1)?.parts ?? []).filter(({ type }) => type !== 'step-start')
  return {
    chat,
    posted,
    errors,
    parts,
    run: () => String((chat.messages.at(-1)?.metadata as { run?: string } | undefined)?.run),
    shows: (text) =>
      new Promise((resolve) => {
        const unsubscribe = chat['~registerMessagesCallback'](() => {
          if (!parts().some((part) => part.type === 'text' && part.text === text)) return
          unsubscribe()
          resolve()
        })
      }),
    async resume() {
      const answered = new Promise<void>((resolve) => {
        const unsubscribe = chat['~registerStatusCallback'](() => {
          if (chat.status === 'ready') return
          unsubscribe()
          resolve()
        })
      })
      const ended = chat.resumeStream()
      await answered
      return { ended }
    },
    async after(act) {
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve
      })
      await act()
      await idle
      // What it would send by itself now, it sends at once.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

/** The chat as it is after a reload of its page. */
export async function history(
  served: Served,
  { id = 'chat-1', person = 'ann', agent = 'asker' }: PageOptions = {},
): Promise<UIMessage[]> {
  const { status, body } = await served.ask(`/api/agents/${agent}/chat/${id}`, { as: person })
  if (status !== 200) throw new Error(`No history: ${status} ${JSON.stringify(body)}`)
  return (body as { messages: UIMessage[] }).messages
}

/** Messages without what differs between a page that saw them come and one that was loaded: the ids of its own. */
export function shown(messages: readonly UIMessage[]): unknown {
  const same = messages.map(({ id, role, parts, metadata }) => ({
    role,
    parts,
    ...(role === 'user' ? {} : { id, metadata }),
  }))
  // A field that is there with nothing in it is as good as none.
  return JSON.parse(JSON.stringify(same))
}
