import { describe, expect, it } from 'vitest'
import { keyOf, signatureOf } from './sign.ts'

describe('a signature', () => {
  it('is that of the reference vector of Standard Webhooks', () => {
    const key = keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Buffer
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1614265330, body: '{"test": 2432232314}' }
    expect(signatureOf(key, message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })
})

describe('a secret', () => {
  const ofBytes = (count: number) => `whsec_${Buffer.alloc(count, 7).toString('base64')}`

  it('has 24 to 64 bytes', () => {
    expect([23, 24, 64, 65].map((count) => keyOf(ofBytes(count))?.length)).toEqual([undefined, 24, 64, undefined])
  })

  it('may come with or without its padding', () => {
    expect(keyOf(ofBytes(25).replace(/=+$/, ''))).toEqual(keyOf(ofBytes(25)))
  })

  it.each([
    ['without its prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['with a space at its end', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw '],
    ['with letters that are no base64', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS*'],
    ['cut off', `${ofBytes(24)}A`],
    ['of an asymmetric key', 'whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['that is none', undefined],
  ])('%s is refused', (_, secret) => {
    expect(keyOf(secret)).toBeUndefined()
  })
})
