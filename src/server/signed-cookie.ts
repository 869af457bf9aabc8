import { parseSigned, serialize, serializeSigned } from 'hono/utils/cookie'
import { QuerentError } from '../protocol/core.ts'

/** As long as browsers keep one. */
const longestMs = 400 * 24 * 60 * 60_000

const minSecretLength = 32

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

  /** The value a request brings, where its signature is ours. */
  async read(request: Request): Promise<string | undefined> {
    const cookies = request.headers.get('cookie')
    if (cookies === null) return undefined
    const { [this.name]: value } = await parseSigned(cookies, this.secret, this.name)
    return value === false ? undefined : value
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
    return serializeSigned(this.name, value, this.secret, { httpOnly: true, sameSite, path: '/', secure, maxAge })
  }

  /** A `Set-Cookie` header that takes the cookie away. */
  removal(): string {
    return serialize(this.name, '', { httpOnly: true, path: '/', maxAge: 0 })
  }
}

/** Whether a page was reached over TLS. Behind a proxy that ends it, the page's origin knows. */
export function isSecure(request: Request): boolean {
  return [request.url, request.headers.get('origin') ?? ''].some((url) => url.startsWith('https:'))
}
