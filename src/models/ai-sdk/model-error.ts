import { ModelError } from 'querent/model'

/**
 * Makes one `ModelError` of whatever the SDK or a provider threw, its cause kept. Retryable: what the provider says is
 * (429, 5xx, overloaded), networks that fail, time-outs of the provider's own, replies that cannot be read, and errors
 * in a stream that had begun, unless they name a fault of the request.
 */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const chain = causesOf(error)
  return new ModelError(messageOf(error), {
    // What is no Error at all is an error event whose form the SDK does not know, in a stream that had begun.
    retryable: chain.map(verdictOn).find((verdict) => verdict !== undefined) ?? !(error instanceof Error),
    retryAfterMs: chain.map(retryAfterMsOf).find((ms) => ms !== undefined),
    cause: error,
  })
}

/** What errors of the SDK, of providers and of Node may carry. */
interface Trouble {
  name?: unknown
  message?: unknown
  code?: unknown
  type?: unknown
  statusCode?: unknown
  isRetryable?: unknown
  responseHeaders?: unknown
  cause?: unknown
}

const longestChain = 10

function causesOf(error: unknown): Trouble[] {
  const chain: Trouble[] = []
  let current = error
  while (typeof current === 'object' && current !== null && chain.length < longestChain) {
    chain.push(current)
    current = 'cause' in current ? current.cause : undefined
  }
  return chain
}

// The provider accepted the request and then sent something that is no reply.
const unreadable = [
  'AI_EmptyResponseBodyError',
  'AI_InvalidResponseDataError',
  'AI_JSONParseError',
  'AI_NoOutputGeneratedError',
  'AI_ToolChoiceViolationError',
  'AI_TypeValidationError',
]
const timeouts = ['AbortError', 'ResponseAborted', 'TimeoutError']
const networkCode = /^(UND_ERR_|ECONN|ENETUNREACH|EHOSTUNREACH|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)/
const requestFault =
  /invalid|unsupported|not_?found|authentication|permission|forbidden|quota|billing|context_length|too_large|policy/i

/** Whether this link of the chain says that a retry helps, or that it does not; undefined where it says nothing. */
function verdictOn(error: Trouble): boolean | undefined {
  const name = String(error.name)
  // A plain error event without a status: the SDK calls it final, yet most are a provider's bad moment.
  if (name === 'AI_StreamProviderError' && error.statusCode === undefined) {
    return !requestFault.test(`${error.type} ${error.code}`)
  }
  if (typeof error.isRetryable === 'boolean') return error.isRetryable
  if (typeof error.statusCode === 'number') return error.statusCode === 429 || error.statusCode >= 500
  if (unreadable.includes(name) || timeouts.includes(name)) return true
  return typeof error.code === 'string' && networkCode.test(error.code) ? true : undefined
}

/** From `retry-after-ms`, or `retry-after` in seconds or as a date (by the clock of the one who sent it). */
function retryAfterMsOf(error: Trouble): number | undefined {
  if (typeof error.responseHeaders !== 'object' || error.responseHeaders === null) return undefined
  const headers = error.responseHeaders as Record<string, string | undefined>
  const after = headers['retry-after']
  const waits = [
    Number.parseFloat(headers['retry-after-ms'] ?? ''),
    /^\s*[\d.]+\s*$/.test(after ?? '') ? Number.parseFloat(after ?? '') * 1000 : Number.NaN,
    Date.parse(after ?? '') - Date.parse(headers.date ?? ''),
  ]
  const ms = waits.find((wait) => Number.isFinite(wait))
  return ms === undefined ? undefined : Math.max(0, Math.ceil(ms))
}

function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const { message, statusCode } = error as Trouble
  const said = typeof message === 'string' && message !== '' ? message : JSON.stringify(error)
  return typeof statusCode === 'number' ? `${said} (HTTP ${statusCode})` : said
}
