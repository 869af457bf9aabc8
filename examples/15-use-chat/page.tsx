import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai'
import { type FormEvent, StrictMode, Suspense, use } from 'react'
import { createRoot } from 'react-dom/client'
import { type Message, Parts } from './parts.tsx'

const api = '/api/agents/shirts/chat'

// The id of the chat is the key of its run: kept in the address, a reload finds it again.
const id = location.hash.slice(1) || crypto.randomUUID()
location.hash = id

async function load(): Promise<Message[]> {
  const response = await fetch(`${api}/${id}`)
  // Before the first message there is none.
  return response.ok ? (await response.json()).messages : []
}

const loaded = load()

function Chat() {
  const { messages, setMessages, sendMessage, status, error, clearError, ...answers } = useChat<Message>({
    id,
    messages: use(loaded),
    resume: true,
    transport: new DefaultChatTransport({ api }),
    sendAutomaticallyWhen: (chat) =>
      lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat),
  })
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text'))
    event.currentTarget.reset()
    void sendMessage({ text })
  }
  const loadAgain = async () => {
    clearError()
    setMessages(await load())
    await answers.resumeStream()
  }
  return (
    <main>
      {messages.map((message, index) => (
        <article key={message.id} aria-label={message.role}>
          <Parts message={message} answers={answers} isNewest={index === messages.length - 1} />
        </article>
      ))}
      <form onSubmit={send}>
        <input name="text" aria-label="Message" required />
        <button type="submit">Send</button>
      </form>
      <p role="status">{status}</p>
      {error && (
        <p role="alert">
          {detailOf(error)}
          <button type="button" onClick={() => void loadAgain()}>
            Load again
          </button>
        </p>
      )}
    </main>
  )
}

/** What the server says is a problem in JSON: `code`, `detail`, `data`. What else may fail is none. */
function detailOf({ message }: Error): string {
  return message.startsWith('{') ? JSON.parse(message).detail : message
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Suspense fallback="…">
      <Chat />
    </Suspense>
  </StrictMode>,
)
