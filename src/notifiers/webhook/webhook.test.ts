import { QuerentError } from 'querent/extension'
import { describe, expect, it } from 'vitest'
import { type WebhookOptions, webhook } from './webhook.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

function refusalOf(options: WebhookOptions): QuerentError {
  try {
    webhook(options)
  } catch (error) {
    if (error instanceof QuerentError) return error
  }
  throw new Error('It was expected to be refused, and was not.')
}

describe('a webhook', () => {
  it.each([
    'https://example.com/hook',
    'http://localhost:3000/hook',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://[::1]:8080/',
  ])('takes %s', (url) => {
    expect(webhook({ url, secret })).toMatchObject({ name: 'webhook' })
  })

  it.each([
    'http://example.com/s3cret',
    'http://localhost.example.com/s3cret',
    'http://127.0.0.1.example.com/s3cret',
    'http://[::2]/s3cret',
    'http://10.0.0.1/s3cret',
    'ftp://localhost/s3cret',
    'javascript:s3cret',
    'https://ann:s3cret@example.com/',
    '/s3cret',
    '',
  ])('refuses %s, and does not repeat it', (url) => {
    const error = refusalOf({ url, secret })
    expect(error.code).toBe('T1003')
    expect(error.message).not.toContain('s3cret')
  })

  it.each([[undefined], ['whsec_c2hvcnQ='], [[]], [[secret, 'whsec_c2hvcnQ=']]])('refuses the secret %j', (given) => {
    const error = refusalOf({ url: 'https://example.com', secret: given as string })
    expect(error.code).toBe('T1003')
    expect(error.message).not.toContain('c2hvcnQ')
  })

  it('has the name and the time-out it is given', () => {
    expect(webhook({ url: 'https://example.com', secret, name: 'ops', timeoutMs: 500 })).toMatchObject({
      name: 'ops',
      timeoutMs: 500,
    })
  })
})
