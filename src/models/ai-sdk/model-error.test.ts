import { APICallError } from 'ai'
import { ModelError } from 'querent/model'
import { describe, expect, it } from 'vitest'
import { toModelError } from './model-error.ts'

function apiError(statusCode: number, responseHeaders?: Record<string, string>): APICallError {
  return new APICallError({
    message: 'said',
    url: 'https://example.com',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
  })
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function named(name: string, fields: object = {}): Error {
  return Object.assign(new Error('said'), { name, ...fields })
}

describe('toModelError', () => {
  it('leaves one of ours as it is', () => {
    const error = new ModelError('said', { retryable: true })
    expect(toModelError(error)).toBe(error)
  })

  it('keeps the cause and says the status', () => {
    const cause = apiError(503)
    expect(toModelError(cause)).toMatchObject({ message: 'said (HTTP 503)', cause })
  })

  it.each([
    ['a limit of requests', apiError(429), true],
    ['a fault of the request', apiError(400), false],
    ['a network that fails', new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }), true],
    ['a connection that breaks', new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') }), true],
    ['a name that is not resolved now', new TypeError('fetch failed', { cause: coded('EAI_AGAIN') }), true],
    ['a time-out of the provider package', named('TimeoutError'), true],
    ['a reply that cannot be read', named('AI_JSONParseError'), true],
    ['a missing key', named('AI_LoadAPIKeyError'), false],
    ['a file that cannot be had now', named('AI_DownloadError', { statusCode: 503 }), true],
    ['a file that is not there', named('AI_DownloadError', { statusCode: 404 }), false],
    ['an event of the stream', named('AI_StreamProviderError', { isRetryable: false, type: 'server_error' }), true],
    ['an event that names the quota', named('AI_StreamProviderError', { code: 'insufficient_quota' }), false],
    ['an event with a status', named('AI_StreamProviderError', { isRetryable: false, statusCode: 400 }), false],
    ['an event of an unknown form', { detail: 'busy' }, true],
    ['a text', 'busy', true],
    ['a fault in the code', new TypeError('x is not a function'), false],
    ['an error that is its own cause', selfCaused(), false],
  ])('%s', (_, error, retryable) => {
    expect(toModelError(error).retryable).toBe(retryable)
  })

  it.each([
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after-ms': '20' }, 20],
    [{ 'retry-after': 'Mon, 30 Nov 2026 10:00:05 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' }, 5000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 09:00:00 GMT', date: 'Mon, 30 Nov 2026 10:00:00 GMT' }, 0],
    [{ 'retry-after': 'Mon, 30 Nov 2026 10:00:05 GMT' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('with the headers %o waits %s ms', (headers, ms) => {
    expect(toModelError(apiError(429, headers)).retryAfterMs).toBe(ms)
    expect(toModelError(new Error('outer', { cause: apiError(429, headers) })).retryAfterMs).toBe(ms)
  })
})

function selfCaused(): Error {
  const error = new Error('said')
  error.cause = error
  return error
}
