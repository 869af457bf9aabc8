import { type AskEvent, type Notifier, type NotifyContext, QuerentError, questionText } from 'querent/extension'
import { keyOf, signatureOf } from './sign.ts'

export interface WebhookOptions {
  /** `https:`; `http:` on this machine only (`localhost`, `127.0.0.0/8`, `[::1]`). Must be yours: it is called as it is. */
  url: string | URL
  /** `whsec_` and 24 to 64 random bytes in base64. While you change it: the new one and the old one, both sign. */
  secret: string | readonly string[]
  /** The name of the notifier. Default `'webhook'`; needed where there are several. */
  name?: string
  /** How long one try may take, in milliseconds. Default 10,000. */
  timeoutMs?: number
}

/**
 * A notifier that posts each event to a URL, signed as Standard Webhooks says (https://www.standardwebhooks.com): the
 * receiver verifies it with any of that project's libraries, and uses `webhook-id` to do nothing twice.
 *
 * The body is `{ type, timestamp, data: { ask, text?, person?, end? } }`: `text` is what was asked as `questionText` writes
 * it, safe to show; `end` is `{ outcome, by, at, because? }`, that an ask was answered and by whom, not the answer. 2xx has arrived; anything else is tried again, redirects included,
 * which are not followed; 410 ends it until an engine is started again. The body of a response is not read.
 * @throws QuerentError T1003 where the URL or a secret is wrong.
 */
export function webhook({ url, secret, name = 'webhook', timeoutMs }: WebhookOptions): Notifier {
  const target = targetOf(url)
  const keys = keysOf(secret)
  return {
    name,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    notify: (event, context) => post(target, keys, event, context),
  }
}

async function post(target: URL, keys: Buffer[], event: AskEvent, context: NotifyContext): Promise<void> {
  const body = bodyOf(event)
  const { id } = event
  // When it is tried, not when it happened: a receiver refuses what is too old, so that nobody can replay it.
  const timestampS = Math.floor(context.clock.now() / 1000)
  const response = await fetch(target, {
    method: 'POST',
    redirect: 'manual',
    signal: context.signal,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'querent',
      'webhook-id': id,
      'webhook-timestamp': String(timestampS),
      'webhook-signature': keys.map((key) => signatureOf(key, { id, timestampS, body })).join(' '),
    },
    body,
  })
  // Left unread, it would hold its connection. That it broke is no reason to tell again what has arrived.
  await response.body?.cancel().catch(() => undefined)
  if (response.status === 410) context.stop('The endpoint answered 410 Gone.')
  else if (!response.ok) throw new Error(`The endpoint answered ${response.status}.`)
}

function bodyOf(event: AskEvent): string {
  const { type, at, ask, person } = event
  // What is in `ask` is untrusted and as it came; a receiver that posts it somewhere needs what can be posted.
  const data: Record<string, unknown> = event.type === 'ask.opened' ? { ask, text: questionText(ask) } : { ask }
  if (person) data.person = person
  if (event.type === 'ask.settled') {
    const { outcome, by, at: endedAt, because } = event.end
    data.end = { outcome, by, at: endedAt, because }
  }
  return JSON.stringify({ type, timestamp: at, data })
}

function targetOf(url: string | URL): URL {
  const target = URL.parse(url)
  // No message shows the URL: many have a secret in their path.
  if (!target) throw wrong('The url of a webhook cannot be read. Give one such as https://example.com/hook.')
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(target.hostname)
  if (target.protocol !== 'https:' && !(target.protocol === 'http:' && isLoopback))
    throw wrong(`The url of a webhook begins with ${target.protocol} and is not on this machine. Use https:.`)
  if (target.username !== '' || target.password !== '')
    throw wrong('The url of a webhook has a user or password in it. Leave them out: the signature says who calls.')
  return target
}

function keysOf(secret: string | readonly string[]): Buffer[] {
  const keys = [secret].flat().map(keyOf)
  if (keys.length > 0 && keys.every((key) => key !== undefined)) return keys
  throw wrong('The secret of a webhook must be "whsec_" and 24 to 64 random bytes in base64.')
}

function wrong(message: string): QuerentError {
  return new QuerentError('T1003', message)
}
