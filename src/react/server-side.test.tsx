import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createClient } from '../client/client.ts'
import type { Clock } from '../protocol/core.ts'
import { QuerentProvider } from './provider.tsx'
import { useAgent, useAsks, useRuns } from './use-lists.ts'
import { useRun } from './use-run.ts'
import { useServerNow } from './use-server-now.ts'

function Screen() {
  const { working, loading } = useAgent('asker')
  const { asks } = useAsks()
  const { runs, connection } = useRuns()
  const { status } = useRun('run_1')
  const nothing = useRun(undefined).status
  return (
    <p>{JSON.stringify({ working, loading, asks, runs, connection, status, nothing, now: useServerNow() ?? null })}</p>
  )
}

test('on a server the hooks say that they load, and touch neither the network nor a timer', () => {
  const touched: string[] = []
  const fetch = async () => {
    touched.push('fetch')
    return new Response()
  }
  const clock: Clock = {
    now: () => 0,
    after() {
      touched.push('timer')
      return () => undefined
    },
  }
  const client = createClient({ url: '', fetch, clock })
  const html = renderToString(
    <QuerentProvider client={client} clock={clock}>
      <Screen />
    </QuerentProvider>,
  )
  expect(JSON.parse(html.replace(/<\/?p>/g, '').replaceAll('&quot;', '"'))).toEqual({
    working: [],
    loading: true,
    asks: [],
    runs: [],
    connection: { state: 'connecting' },
    status: 'loading',
    nothing: 'none',
    now: null,
  })
  expect(touched).toEqual([])
})

test('outside of a provider a hook says what is missing', () => {
  expect(() => renderToString(<Screen />)).toThrow('<QuerentProvider')
})
