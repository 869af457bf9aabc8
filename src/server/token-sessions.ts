import { createHash, timingSafeEqual } from 'node:crypto'
import { type Clock, type Person, QuerentError, systemClock } from '../protocol/core.ts'
import { isSecure, SignedCookie } from './signed-cookie.ts'

/** What `tokenSessions` takes. */
export interface TokenSessionsOptions {
  /** The secret of all who may in. Long and random: nothing slows down who guesses. */
  token: string
  /** Whom the token stands for. */
  person: Person
  /** Default: the system's. */
  clock?: Clock
}

/** Says who a request is from; the rest is for `createServer({ sessions })`. */
export interface TokenSessions {
  (request: Request): Promise<Person | undefined>
  /** The `Set-Cookie` header of a session that begins; nothing where that is not the token. */
  signIn(token: string, request: Request): Promise<string | undefined>
  /** The header that ends it in this browser. */
  signOut(request: Request): string
}

const sessionMs = 30 * 24 * 60 * 60_000

/**
 * An `identify` for one person and one secret token, brought as `Authorization: Bearer` or, from a page that has signed in
 * with it, by a cookie that no script reads. A session lasts 30 days, over restarts; another token ends all of them.
 * A wrong bearer token gets T0007 (401).
 * @throws QuerentError T1003 for a token that is empty or has blanks.
 */
export function tokenSessions({ token, person, clock = systemClock }: TokenSessionsOptions): TokenSessions {
  if (typeof token !== 'string' || !/^\S+$/.test(token)) {
    throw new QuerentError('T1003', 'The token is empty or has blanks. Give a long random text without any.')
  }
  const expected = digest(token)
  const isToken = (brought: string) => timingSafeEqual(digest(brought), expected)
  // Cookies know no ports: without a name of its own, a server on another port would end the session of this one.
  const name = `querent_session_${digest(`name:${token}`).toString('hex').slice(0, 8)}`
  const cookie = new SignedCookie(name, digest(`key:${token}`).toString('hex'))
  const identify = async (request: Request) => {
    const brought = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1]
    if (brought === undefined) return Number(await cookie.read(request)) > clock.now() ? person : undefined
    if (isToken(brought)) return person
    throw new QuerentError('T0007', 'This is not the token of this server.', { status: 401 })
  }
  return Object.assign(identify, {
    async signIn(brought: string, request: Request) {
      if (!isToken(brought)) return undefined
      const secure = isSecure(request)
      return cookie.header(String(clock.now() + sessionMs), { secure, sameSite: 'Strict', maxAgeMs: sessionMs })
    },
    signOut: (request: Request) => cookie.removal({ secure: isSecure(request) }),
  })
}

/** Of one length, as a comparison that takes the same time for all needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
