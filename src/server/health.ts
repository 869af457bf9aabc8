import type { Hono } from 'hono'

/**
 * For load balancers and whatever else starts and ends processes, outside of `/api` and without an identity: strangers
 * learn that something is here, and nothing of it. `/healthz`: this process answers. `/readyz`: and it works.
 */
export function addHealth(app: Hono, isReady: () => Promise<boolean>): void {
  app.get('/healthz', () => answer(true))
  app.get('/readyz', async () => answer(await isReady()))
}

function answer(isWell: boolean): Response {
  return new Response(isWell ? 'ok\n' : 'not ready\n', {
    status: isWell ? 200 : 503,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}
