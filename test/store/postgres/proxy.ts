import { connect, createServer, type Socket } from 'node:net'

/** Stands between a store and its server, and cuts what it is told to. */
export interface TcpProxy {
  url: string
  /** Cuts every connection there is. */
  cut(): void
  /** Cuts the connection of the next commit: before the server has it, or when it has answered and nobody has heard. */
  cutCommit(when: 'before' | 'after'): void
  /** No connection comes through, until `open`. */
  shut(): void
  open(): void
  close(): Promise<void>
}

export async function startProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isShut = false
  let cutting: 'before' | 'after' | undefined
  const server = createServer((client) => {
    if (isShut) return client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    const both = [client, upstream]
    let isLost = false
    const end = () => {
      for (const each of both) each.destroy()
    }
    for (const each of both) {
      sockets.add(each)
      each.setNoDelay(true)
      each.on('error', end).on('close', () => {
        sockets.delete(each)
        end()
      })
    }
    client.on('data', (data) => {
      if (cutting && data.includes('commit\0')) {
        if (cutting === 'before') end()
        isLost = true
        cutting = undefined
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (!isLost) client.write(data)
      else if (data.includes('COMMIT\0')) end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('The proxy has no port.')
  const own = new URL(url)
  own.port = String(address.port)
  const cut = () => {
    for (const each of sockets) each.destroy()
  }
  return {
    url: own.href,
    cut,
    cutCommit(when) {
      cutting = when
    },
    shut() {
      isShut = true
      cut()
    },
    open() {
      isShut = false
    },
    async close() {
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
