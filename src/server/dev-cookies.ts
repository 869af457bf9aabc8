import { type Person, QuerentError } from '../protocol/core.ts'
import { isLoopback } from './loopback.ts'
import { SignedCookie } from './signed-cookie.ts'

/** Says who a request is from; `signIn` makes the cookie that says so. */
export interface DevCookies {
  (request: Request): Promise<Person | undefined>
  /** A `Set-Cookie` header that makes a browser this person. Send it from a page of your own. */
  signIn(id: string): Promise<string>
}

/**
 * An `identify` for development: a signed cookie says who somebody is, and nothing proves it. It works on loopback alone,
 * so that it cannot come into production by mistake.
 * @throws QuerentError T1003 for a secret of less than 32 characters. A request from elsewhere gets T0007.
 */
export function devCookies({ secret }: { secret: string }): DevCookies {
  const cookie = new SignedCookie('querent_dev', secret)
  const identify = async (request: Request) => {
    if (!isLoopback(request)) {
      throw new QuerentError('T0007', 'devCookies works on localhost alone. Use jwt() or an identify of your own.')
    }
    const id = await cookie.read(request, false)
    return id === undefined ? undefined : { id }
  }
  return Object.assign(identify, { signIn: (id: string) => cookie.header(id, { secure: false }) })
}
