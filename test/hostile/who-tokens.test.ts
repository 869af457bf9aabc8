import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, exportPKCS8, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose'
import { code } from 'querent'
import { jwt } from 'querent/server'
import { fakeClock } from 'querent/testing'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { world } from '../engine/world.ts'
import { serve } from '../server/served.ts'

/*
 * Whoever makes a token may write anything into its head: how it is checked, by which key, where that key is. None of it
 * may be believed, and none of it may be a fault of the server.
 */

const clock = fakeClock()
const issuer = 'https://id.example'
const audience = 'querent'
const secret = 'a secret of at least thirty-two characters'

type Claims = Record<string, unknown>
type Head = { alg: string } & Record<string, unknown>

const atHours = (hours: number) => Math.floor(clock.now() / 1000) + hours * 3600
const claims = (more: Claims = {}): Claims => ({ sub: 'ann', iss: issuer, aud: audience, exp: atHours(1), ...more })
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

interface Keys {
  rsa: { publicKey: CryptoKey; privateKey: CryptoKey }
  /** Keys of their own making. */
  theirs: { publicKey: CryptoKey; privateKey: CryptoKey }
  pem: string
  jwk: JWK
}

let keys: Keys

beforeAll(async () => {
  const [rsa, theirs] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256', { extractable: true }),
  ])
  keys = { rsa, theirs, pem: await exportSPKI(rsa.publicKey), jwk: await exportJWK(rsa.publicKey) }
})

const sign = (head: Head, key: CryptoKey | Uint8Array, payload: Claims = claims()) =>
  new SignJWT(payload).setProtectedHeader(head).sign(key)

/** A head that says something, over a signature of ours that was for another head. */
async function headed(head: Head, payload: Claims = claims()): Promise<string> {
  const [, body, signature] = (await sign({ alg: 'RS256' }, keys.rsa.privateKey, payload)).split('.')
  return [base64(head), body, signature].join('.')
}

/** A key set under an address, as an identity provider has it, and what was fetched from there. */
async function keySet(set: () => JWK[]): Promise<{ url: string; fetched: string[] }> {
  const fetched: string[] = []
  const http = createHttpServer((incoming, outgoing) => {
    fetched.push(String(incoming.url))
    outgoing.end(JSON.stringify({ keys: set() }))
  })
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, fetched }
}

async function served(key: { publicKey?: string; jwks?: string; secret?: string }, algorithms?: string[]) {
  const engine = await world().open([], { idle: true })
  return serve(engine, { identify: jwt({ ...key, ...(algorithms && { algorithms }), issuer, audience, clock }) })
}

const bring = (server: Awaited<ReturnType<typeof served>>, token: string) =>
  server.ask('/api/runs', { headers: { authorization: `Bearer ${token}` } })

const forged: [string, () => Promise<string> | string][] = [
  ['alg none', () => `${base64({ alg: 'none' })}.${base64(claims())}.`],
  ['alg none in other letters', () => `${base64({ alg: 'nOnE' })}.${base64(claims())}.`],
  ['alg none with a signature', () => headed({ alg: 'none' })],
  ['no alg', () => headed({} as Head)],
  ['an alg that is no text', () => headed({ alg: ['RS256'] as never })],
  ['HS256 with the public key as the secret', () => sign({ alg: 'HS256' }, new TextEncoder().encode(keys.pem))],
  ['HS256 with the modulus as the secret', () => sign({ alg: 'HS256' }, Buffer.from(String(keys.jwk.n), 'base64url'))],
  ['HS256 over the signature of RS256', () => headed({ alg: 'HS256' })],
  ['another algorithm of the same key', () => headed({ alg: 'PS256' })],
  ['a key of their own', () => sign({ alg: 'RS256' }, keys.theirs.privateKey)],
  ['a key that the token brings', async () => sign({ alg: 'RS256', jwk: await theirJwk() }, keys.theirs.privateKey)],
  ['a key at an address', () => sign({ alg: 'RS256', jku: 'http://127.0.0.1:1/k' }, keys.theirs.privateKey)],
  ['a certificate at an address', () => sign({ alg: 'RS256', x5u: 'http://127.0.0.1:1/k' }, keys.theirs.privateKey)],
  ['a kid that is a path', () => sign({ alg: 'RS256', kid: '../../../../dev/null' }, keys.theirs.privateKey)],
  ['a kid that is SQL', () => sign({ alg: 'RS256', kid: "' or 1=1 --" }, keys.theirs.privateKey)],
  ['a kid that is no text', () => headed({ alg: 'RS256', kid: { a: 1 } })],
  ['a kid of __proto__', () => sign({ alg: 'RS256', kid: '__proto__' }, keys.theirs.privateKey)],
  ['what must be understood and is not', () => headed({ alg: 'RS256', crit: ['admin'], admin: true })],
  ['a body that is not encoded', () => headed({ alg: 'RS256', b64: false, crit: ['b64'] })],
  ['a compressed body', () => headed({ alg: 'RS256', zip: 'DEF' })],
  [
    'claims that were changed',
    async () => {
      const [head, , signature] = (await sign({ alg: 'RS256' }, keys.rsa.privateKey)).split('.')
      return [head, base64(claims({ sub: 'bob' })), signature].join('.')
    },
  ],
  [
    'a head that is no JSON',
    async () => `${base64('{')}.${(await headed({ alg: 'RS256' })).split('.').slice(1).join('.')}`,
  ],
  [
    'a head that is a list',
    async () => `${base64([])}.${(await headed({ alg: 'RS256' })).split('.').slice(1).join('.')}`,
  ],
  ['claims that are a list', async () => `${base64({ alg: 'RS256' })}.${base64([1])}.${'A'.repeat(342)}`],
  ['five parts, as an encrypted one has', async () => `${await headed({ alg: 'RS256' })}.a.b`],
  ['a signature that is cut', async () => (await sign({ alg: 'RS256' }, keys.rsa.privateKey)).slice(0, -10)],
  [
    'no signature',
    async () => `${(await sign({ alg: 'RS256' }, keys.rsa.privateKey)).split('.').slice(0, 2).join('.')}.`,
  ],
  ['dots', () => '..'],
]

const theirJwk = () => exportJWK(keys.theirs.publicKey)

const claimed: [string, Claims][] = [
  ['has ended', { exp: atHours(-1) }],
  ['ends as it comes', { exp: atHours(0) }],
  ['never ends', { exp: undefined }],
  ['ends at no number', { exp: '9999999999' }],
  ['is not yet valid', { nbf: atHours(1) }],
  ['is valid from no number', { nbf: 'now' }],
  ['is of another issuer', { iss: 'https://id.example.evil.example' }],
  ['is of an issuer with a slash more', { iss: `${issuer}/` }],
  ['is of several issuers', { iss: [issuer, 'https://evil.example'] }],
  ['is of no issuer', { iss: undefined }],
  ['is for somebody else', { aud: 'billing' }],
  ['is for nobody', { aud: [] }],
  ['is of nobody', { sub: undefined }],
  ['is of an empty name', { sub: '' }],
  ['is of null', { sub: null }],
  ['is of a number', { sub: 7 }],
  ['is of an object, as every other object is', { sub: {} }],
  ['is of a list', { sub: ['ann'] }],
]

describe('a token is checked by what the server was told, not by what the token says', () => {
  test.each(forged)(
    '%s: T0007 (401), with a public key and with a set of them, and nothing else is fetched',
    async (_, make) => {
      const token = await make()
      const provider = await keySet(() => [{ ...keys.jwk, kid: 'ours', alg: 'RS256' }])
      for (const key of [{ publicKey: keys.pem }, { jwks: `${provider.url}/keys` }]) {
        const server = await served(key, ['RS256'])
        expect(await bring(server, token)).toMatchObject({ status: 401, body: { code: code.T0007 } })
        expect(server.logged).toEqual([])
      }
      expect(new Set(provider.fetched).size).toBeLessThanOrEqual(1)
    },
  )

  test.each(claimed)('one that %s is T0007 (401)', async (_, more) => {
    const server = await served({ publicKey: keys.pem }, ['RS256'])
    const token = await sign({ alg: 'RS256' }, keys.rsa.privateKey, claims(more))
    expect(await bring(server, token)).toMatchObject({ status: 401, body: { code: code.T0007 } })
    expect(server.logged).toEqual([])
  })

  test('with a shared secret, no key signs in its place', async () => {
    const server = await served({ secret })
    const good = await sign({ alg: 'HS256' }, new TextEncoder().encode(secret))
    expect((await bring(server, good)).status).toBe(200)
    const tokens = [
      await sign({ alg: 'RS256' }, keys.rsa.privateKey),
      await sign({ alg: 'HS256' }, new TextEncoder().encode(await exportPKCS8(keys.theirs.privateKey))),
      await sign({ alg: 'HS512' }, new TextEncoder().encode(`${secret}${secret}`)),
    ]
    for (const token of tokens) expect((await bring(server, token)).status).toBe(401)
  })

  test('where several keys of a set fit, each is tried; one that fits none is the token’s fault, not the server’s', async () => {
    const other = await generateKeyPair('RS256', { extractable: true })
    const provider = await keySet(() => set)
    const set = [await exportJWK(other.publicKey), keys.jwk]
    const server = await served({ jwks: `${provider.url}/keys` }, ['RS256'])
    const statusOf = async (key: CryptoKey) => (await bring(server, await sign({ alg: 'RS256' }, key))).status
    expect(await statusOf(keys.rsa.privateKey)).toBe(200)
    expect(await statusOf(other.privateKey)).toBe(200)
    expect(await statusOf(keys.theirs.privateKey)).toBe(401)
    expect(server.logged).toEqual([])
  })

  test('a shared secret among the keys of a set opens nothing', async () => {
    const k = Buffer.from(secret).toString('base64url')
    const provider = await keySet(() => [
      { kty: 'oct', k, kid: 'shared', alg: 'HS256' },
      { ...keys.jwk, kid: 'ours' },
    ])
    const server = await served({ jwks: `${provider.url}/keys` }, ['RS256'])
    const token = await sign({ alg: 'HS256', kid: 'shared' }, new TextEncoder().encode(secret))
    expect((await bring(server, token)).status).toBe(401)
    expect((await bring(server, await sign({ alg: 'RS256', kid: 'shared' }, keys.rsa.privateKey))).status).toBe(401)
    expect((await bring(server, await sign({ alg: 'RS256', kid: 'ours' }, keys.rsa.privateKey))).status).toBe(200)
  })

  test('what `person` makes of a token decides: nobody is nobody', async () => {
    const engine = await world().open([], { idle: true })
    const person = (all: Claims) => (all.staff === true ? { id: `staff:${String(all.sub)}` } : undefined)
    const server = await serve(engine, {
      identify: jwt({ publicKey: keys.pem, algorithms: ['RS256'], issuer, audience, clock, person }),
    })
    const of = (more: Claims) => sign({ alg: 'RS256' }, keys.rsa.privateKey, claims(more))
    expect((await bring(server, await of({ staff: true }))).status).toBe(200)
    expect((await bring(server, await of({ staff: 'true' }))).status).toBe(401)
  })
})
