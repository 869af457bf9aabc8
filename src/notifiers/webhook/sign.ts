import { createHmac } from 'node:crypto'

/** What Standard Webhooks asks of a secret, in bytes. */
const leastBytes = 24
const mostBytes = 64

/** The key that a secret (`whsec_` and base64) stands for. Nothing: it is not such a secret. */
export function keyOf(secret: unknown): Buffer | undefined {
  const encoded = typeof secret === 'string' ? /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] : undefined
  if (encoded === undefined) return undefined
  const key = Buffer.from(encoded, 'base64')
  // Buffer skips what is no base64; a key that is shorter than what was typed would verify nowhere.
  const isWhole = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return isWhole && key.length >= leastBytes && key.length <= mostBytes ? key : undefined
}

/** One signature of Standard Webhooks, version 1: HMAC-SHA256 of `id.timestamp.body`. */
export function signatureOf(key: Buffer, message: { id: string; timestampS: number; body: string }): string {
  const { id, timestampS, body } = message
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`
}
