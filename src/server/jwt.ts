import { type Clock, type Person, QuerentError, systemClock } from '../protocol/core.ts'

/** What `jwt` takes: one key, and what a token must say. */
export interface JwtOptions {
  /** A shared secret (HS256), at least 32 characters. */
  secret?: string
  /** A public key in PEM (SPKI). */
  publicKey?: string
  /** Where the public keys are: a JSON Web Key Set. It is fetched when needed, and kept. */
  jwks?: string | URL
  /** Algorithms that are taken, no others. Needed with `publicKey` (one) and `jwks`. */
  algorithms?: string[]
  issuer: string | string[]
  audience: string | string[]
  /** Makes the person of a checked token. Default: all its claims, with `sub` as `id`. */
  person?: (claims: Record<string, unknown>) => Person | undefined
  clock?: Clock
}

/**
 * An `identify` for `Authorization: Bearer <JWT>`. A request without one is from nobody; one with a token that is not
 * signed by the key, has ended, or lacks `exp` or `sub` gets T0007 (401). Needs the package `jose` (else T1007).
 * @throws QuerentError T1003 where the options are wrong.
 */
export function jwt(options: JwtOptions): (request: Request) => Promise<Person | undefined> {
  const algorithms = algorithmsOf(options)
  const { issuer, audience, clock = systemClock } = options
  const person = options.person ?? (({ sub, ...claims }) => ({ ...claims, id: sub as string }))
  let verifier: Promise<Verifier> | undefined
  return async (request) => {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (token === undefined) return undefined
    verifier ??= verifierOf(options, algorithms)
    const { verify, isTokenFault } = await verifier
    const requiredClaims = ['exp', 'sub']
    const expected = { issuer, audience, algorithms, requiredClaims, currentDate: dateOf(clock) }
    const claims = await verify(token, expected).catch((error: unknown) => {
      // A key set that cannot be fetched is not the caller's fault.
      throw isTokenFault(error) ? notValid(error) : error
    })
    // Made a text, every object would be the same person.
    if (typeof claims.sub !== 'string') throw notValid()
    return person(claims)
  }
}

function notValid(cause?: unknown): QuerentError {
  return new QuerentError('T0007', 'The token is not valid here, or has ended. Sign in again.', { status: 401, cause })
}

function algorithmsOf({ secret, publicKey, jwks, algorithms, issuer, audience }: JwtOptions): string[] {
  const wrong = (message: string) => new QuerentError('T1003', `jwt(): ${message}`)
  if ([secret, publicKey, jwks].filter((key) => key !== undefined).length !== 1) {
    throw wrong('give one of secret, publicKey and jwks.')
  }
  if (secret !== undefined && secret.length < 32) throw wrong('a secret has at least 32 random characters.')
  // A token of the same issuer for somebody else must not open this door.
  if (!issuer?.length || !audience?.length) throw wrong('give issuer and audience.')
  // The token must not say how it is checked: a public key taken for a shared secret would let anybody sign.
  const taken = algorithms ?? (secret === undefined ? [] : ['HS256'])
  const isShared = (algorithm: string) => algorithm.startsWith('HS')
  if (taken.length === 0) throw wrong('give algorithms, such as ["RS256"].')
  if (taken.some((algorithm) => isShared(algorithm) !== (secret !== undefined))) {
    throw wrong('HS algorithms go with a secret, all others with a public key.')
  }
  return taken
}

interface Verifier {
  verify(token: string, options: VerifyOptions): Promise<Record<string, unknown>>
  isTokenFault(error: unknown): boolean
}

interface VerifyOptions {
  issuer: string | string[]
  audience: string | string[]
  algorithms: string[]
  requiredClaims: string[]
  currentDate: Date
}

/** What says that a token is wrong, and not that it could not be looked at. */
const tokenFault = /^ERR_(JWT_|JWS_|JWKS_NO_MATCHING_KEY|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED)/

async function verifierOf({ secret, publicKey, jwks }: JwtOptions, algorithms: string[]): Promise<Verifier> {
  const jose = await import('jose').catch((cause: unknown) => {
    throw new QuerentError('T1007', 'jwt() needs the package jose: npm install jose', { cause })
  })
  const isTokenFault = (error: unknown) => error instanceof jose.errors.JOSEError && tokenFault.test(error.code)
  if (jwks !== undefined) {
    const keys = jose.createRemoteJWKSet(new URL(jwks))
    return { isTokenFault, verify: (token, options) => verifyWithSet(jose, keys, { token, options }) }
  }
  const key =
    publicKey === undefined
      ? new TextEncoder().encode(secret)
      : await jose.importSPKI(publicKey, algorithms[0] as string)
  return { isTokenFault, verify: async (token, options) => (await jose.jwtVerify(token, key, options)).payload }
}

/** Checks a token with the key of a set that it names; where it names none and several may be meant, with each of them. */
async function verifyWithSet(
  jose: typeof import('jose'),
  keys: import('jose').JWTVerifyGetKey,
  { token, options }: { token: string; options: VerifyOptions },
): Promise<Record<string, unknown>> {
  try {
    return (await jose.jwtVerify(token, keys, options)).payload
  } catch (error) {
    if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return (await jose.jwtVerify(token, key, options)).payload
      } catch (fault) {
        if (!(fault instanceof jose.errors.JWSSignatureVerificationFailed)) throw fault
      }
    }
    throw new jose.errors.JWSSignatureVerificationFailed()
  }
}

function dateOf(clock: Clock): Date {
  return new Date(clock.now())
}
