import { QuerentError } from '../protocol/core.ts'

/**
 * Refuses a write that a page of another site makes in the name of whoever looks at it. Browsers say where a write comes
 * from; what has no `Origin` may pass where nothing tells of a browser: then no cookie was sent along by itself either.
 * @throws QuerentError T0007.
 */
export function checkOrigin(request: Request, origins: readonly string[]): void {
  const origin = request.headers.get('origin')
  if (origin === null) {
    const { headers } = request
    if (!headers.has('cookie') && !headers.has('sec-fetch-site')) return
    throw new QuerentError(
      'T0007',
      'A write with cookies must say its Origin. Send the header, or a token in place of cookies.',
    )
  }
  if (origins.includes(origin) || isOwn(origin, request)) return
  throw new QuerentError(
    'T0007',
    `Writes from ${JSON.stringify(origin.slice(0, 200))} are not taken here, at ${new URL(request.url).host}. ` +
      'A proxy in front must keep the Host; an origin of others stands in "origins".',
  )
}

/** Whether a page of this very server made it. Behind a proxy that ends TLS the server itself sees http. */
function isOwn(origin: string, request: Request): boolean {
  const from = URL.parse(origin)
  const here = new URL(request.url)
  return from !== null && from.host === here.host && (from.protocol === here.protocol || from.protocol === 'https:')
}
