/** The worker's side of `check-thread.ts`: what runs here may be ended at any moment. */
import { parentPort } from 'node:worker_threads'
import { type CheckReply, type CheckRequest, notChecked } from './check-thread.ts'
import { loadValidator } from './validator.ts'

const validate = await loadValidator()

function post(reply: CheckReply): void {
  parentPort?.postMessage(reply)
}

parentPort?.on('message', (text: string) => {
  try {
    const { schema, data } = JSON.parse(text) as CheckRequest
    post({ type: 'checked', issues: validate(schema, data) })
  } catch {
    post({ type: 'checked', issues: [notChecked] })
  }
})
post({ type: 'ready' })
