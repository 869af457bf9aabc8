import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as restate from '@restatedev/restate-sdk'
import * as clients from '@restatedev/restate-sdk-clients'
import { answer, done } from '../../script.ts'
import type { Script } from '../../script.ts'
import type { Place, System } from '../../system.ts'

let script: Script

const order = restate.workflow({
  name: 'order',
  handlers: {
    async run(ctx: restate.WorkflowContext) {
      let said: unknown
      for (let asked = 0; ; asked++) {
        const [number, last] = [asked, said]
        const next = await ctx.run(`model ${asked + 1}`, () => script.next(number, last))
        if (next === 'end') return done
        await ctx.promise<boolean>(`asked ${asked + 1}`).resolve(true)
        said = await ctx.promise<string>(`answer ${asked + 1}`)
      }
    },
    asked: async (ctx: restate.WorkflowSharedContext, nth: number) => {
      await ctx.promise<boolean>(`asked ${nth}`)
    },
    answer: async (ctx: restate.WorkflowSharedContext, { nth, data }: { nth: number; data: string }) => {
      await ctx.promise<string>(`answer ${nth}`).resolve(data)
    },
  },
})

/** A workflow that waits for a promise, on a server of its own beside this process; both handles are clients of it. */
export async function open(place: Place): Promise<System> {
  script = place.script
  running ??= serve(place.folder)
  const { url } = await running
  users += 1
  const client = clients.connect({ url })
  const of = (run: string) => client.workflowClient(order, run)
  return {
    async start() {
      const run = randomUUID()
      await of(run).workflowSubmit()
      await of(run).asked(1)
      return run
    },
    async answer(run, nth) {
      await of(run).answer({ nth, data: answer })
      if (nth < script.asks) return of(run).asked(nth + 1)
      const output = await of(run).workflowAttach()
      if (output !== done) throw new Error(`It ended with ${output}.`)
    },
    async close() {
      users -= 1
      if (users > 0) return
      const { stop } = await running
      running = undefined
      await stop()
    },
  }
}

let running: Promise<{ url: string; stop(): Promise<void> }> | undefined
let users = 0

async function serve(folder: string) {
  const ports = await portsIn(folder)
  const worker = await listen(ports.worker)
  const server = spawn(binary(), ['--base-dir', join(folder, 'restate'), '--listen-mode', 'tcp'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_NODE_NAME: 'bench',
      RESTATE_BIND_PORT: String(ports.node),
      RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
      RESTATE_ADMIN__BIND_PORT: String(ports.admin),
    },
  })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  await register(ports)
  return {
    url: `http://127.0.0.1:${ports.ingress}`,
    async stop() {
      server.kill('SIGTERM')
      await ended
      worker.close()
    },
  }
}

async function listen(port: number) {
  const http2 = await import('node:http2')
  const server = http2.createServer(restate.createEndpointHandler({ services: [order] }))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

async function register(ports: { admin: number; worker: number; ingress: number }): Promise<void> {
  const body = JSON.stringify({ uri: `http://127.0.0.1:${ports.worker}`, force: true })
  const headers = { 'content-type': 'application/json' }
  for (let tries = 0; tries < 300; tries++) {
    try {
      const response = await fetch(`http://127.0.0.1:${ports.admin}/deployments`, { method: 'POST', headers, body })
      if (response.ok) return
      if (response.status < 500) throw new Error(await response.text())
    } catch (error) {
      if (tries === 299) throw error
    }
    await pause(100)
  }
  throw new Error('The server of Restate did not start.')
}

/** A run that waits knows the address of the process that began it: after a restart it must be the same. */
async function portsIn(folder: string) {
  const file = join(folder, 'ports.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const [worker, node, ingress, admin] = await Promise.all([1, 2, 3, 4].map(freePort))
  writeFileSync(file, JSON.stringify({ worker, node, ingress, admin }))
  return { worker, node, ingress, admin }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

/** The package's own starter spawns it too, and does not hand signals on. */
function binary(): string {
  const { platform, arch } = process
  const found = createRequire(import.meta.url).resolve(
    `@restatedev/restate-server-${platform}-${arch}/bin/restate-server`,
  )
  return found
}
