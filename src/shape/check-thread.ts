import { Worker } from 'node:worker_threads'
import type { Clock } from '../core/ambient.ts'
import type { Issue } from '../core/error.ts'
import type { Json, JsonSchema } from '../core/json.ts'

/** What is to be checked. The worker is sent it as JSON text: what cannot be cloned must not fail in the middle. */
export interface CheckRequest {
  schema: JsonSchema
  data: Json
}

/** What it posts: once that it has loaded, and then for each request what it found. */
export type CheckReply = { type: 'ready' } | { type: 'checked'; issues: Issue[] }

/** A worker thread that checks one value after the other. Idle, it does not keep the process alive. */
export interface CheckThread {
  /** Never rejects. At the deadline, counted from when the check begins, the worker is ended and replaced. */
  check(request: CheckRequest, limit: { clock: Clock; deadlineMs: number }): Promise<Issue[]>
  /** Ends the worker; a later check starts another one. */
  end(): Promise<void>
}

/** What is said of a value that took too long. */
export const notInTime: Issue = { path: '', message: 'could not be checked in time: make it shorter or simpler' }
/** What is said where the check itself failed: an unusable schema, or no memory left. Nothing unchecked gets through. */
export const notChecked: Issue = { path: '', message: 'could not be checked: make it shorter or simpler' }

/** A worker loads in a tenth of a second; on a machine that takes this long, nothing could be checked anyway. */
const startDeadlineMs = 30_000
/** A check that needs more would endanger the process, not only itself. */
const maxWorkerMemoryMb = 256

interface Job {
  text: string
  clock: Clock
  deadlineMs: number
  resolve(issues: Issue[]): void
}

/** A worker with what it is doing: `job` where it is checking or loading for one. */
interface Crew {
  worker: Worker
  ready: boolean
  job?: Job
  cancelDeadline?: () => void
}

/** Makes a thread. Nothing is started before the first check. */
export function createCheckThread(): CheckThread {
  const queue: Job[] = []
  let crew: Crew | undefined

  const work = () => {
    if (queue.length === 0 || crew?.job) return
    crew ??= hire()
    crew.job = queue.shift() as Job
    crew.worker.ref()
    begin(crew)
  }
  const hire = (): Crew => {
    const hired: Crew = { worker: startWorker(), ready: false }
    hired.worker.on('message', (reply: CheckReply) => {
      if (reply.type === 'checked') return finish(hired, reply.issues)
      hired.ready = true
      begin(hired)
    })
    // An error ends the worker; without a listener it would end the process.
    hired.worker.on('error', () => finish(hired, [notChecked], 'dismiss'))
    hired.worker.on('exit', () => finish(hired, [notChecked], 'dismiss'))
    return hired
  }
  const begin = (hired: Crew) => {
    const { job, ready, worker } = hired
    if (!job) return
    hired.cancelDeadline?.()
    const limitMs = ready ? job.deadlineMs : startDeadlineMs
    hired.cancelDeadline = job.clock.after(limitMs, () => finish(hired, [notInTime], 'dismiss'))
    if (ready) worker.postMessage(job.text)
  }
  const finish = (hired: Crew, issues: Issue[], then?: 'dismiss') => {
    const { job } = hired
    hired.cancelDeadline?.()
    hired.job = undefined
    hired.worker.unref()
    if (then === 'dismiss' && crew === hired) {
      crew = undefined
      hired.worker.terminate().catch(() => {})
    }
    job?.resolve(issues)
    work()
  }
  return {
    check: (request, { clock, deadlineMs }) =>
      new Promise((resolve) => {
        const text = textOf(request)
        if (text === undefined) return resolve([notChecked])
        queue.push({ text, clock, deadlineMs, resolve })
        work()
      }),
    async end() {
      await crew?.worker.terminate()
    },
  }
}

function textOf(request: CheckRequest): string | undefined {
  try {
    return JSON.stringify(request)
  } catch {
    return undefined
  }
}

function startWorker(): Worker {
  // Under Node's type stripping this file is `.ts`, in the package it is `.js`; the worker's is its neighbour.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./check-worker.${extension}`, import.meta.url), {
    // The worker needs nothing of the process: no secrets of its environment, no loaders of a test runner.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxWorkerMemoryMb },
  })
  worker.unref()
  return worker
}
