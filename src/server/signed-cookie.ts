import { parseSigned, serialize, serializeSigned } from 'hono/utils/cookie'
import { QuerentError } from '../protocol/core.ts'

/** As long as browsers keep one. */
const longestMs = 400 * 24 * 60 * 60_000

const minSecretLength = 32

/**
 * Browsers take a cookie of such a name from this very host and over TLS alone. Any other, a neighbour under the same domain
 * or the network could put into somebody's browser, who would then work, unknowing, as the person it names.
 */
const hostPrefix = '__Host-'

/** A cookie that scripts cannot read and nobody without the secret can make. */
export class SignedCookie {
  private readonly name: string
  private readonly secret: string

  /** @throws QuerentError T1003 for a secret that could be guessed. */
  constructor(name: string, secret: string) {
    if (typeof secret !== 'string' || secret.length < minSecretLength) {
      throw new QuerentError(
        'T1003',
        `The secret that signs the cookie ${name} is missing or short. Give at least ${minSecretLength} random characters.`,
      )
    }
    this.name = name
    // What is signed for one cookie must not be taken for another that the same secret signs.
    this.secret = `${name}:${secret}`
  }

  /** The value a request brings, where its signature is ours. `secure`: only one that was given over TLS counts. */
  async read(request: Request, secure = isSecure(request)): Promise<string | undefined> {
    const cookies = request.headers.get('cookie')
    if (cookies === null) return undefined
    // Where a proxy ends TLS, reads look like plain ones; writes have an Origin that says what they are.
    for (const name of secure ? [this.nameOf(true)] : [this.nameOf(true), this.nameOf(false)]) {
      const { [name]: value } = await parseSigned(cookies, this.secret, name)
      if (value !== undefined) return value === false ? undefined : value
    }
    return undefined
  }

  /** A `Set-Cookie` header. */
  header(
    value: string,
    {
      secure,
      sameSite = 'Lax',
      maxAgeMs = longestMs,
    }: { secure: boolean; sameSite?: 'Lax' | 'Strict'; maxAgeMs?: number },
  ): Promise<string> {
    const maxAge = maxAgeMs / 1000
    const name = this.nameOf(secure)
    return serializeSigned(name, value, this.secret, { httpOnly: true, sameSite, path: '/', secure, maxAge })
  }

  /** A `Set-Cookie` header that takes the cookie away. */
  removal({ secure }: { secure: boolean }): string {
    return serialize(this.nameOf(secure), '', { httpOnly: true, path: '/', secure, maxAge: 0 })
  }

  private nameOf(secure: boolean): string {
    return secure ? `${hostPrefix}${this.name}` : this.name
  }
}

/** Whether a page was reached over TLS. Behind a proxy that ends it, the page's origin knows. */
export function isSecure(request: Request): boolean {
  return [request.url, request.headers.get('origin') ?? ''].some((url) => url.startsWith('https:'))
}
