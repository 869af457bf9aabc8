import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import { answer, done } from '../../script.ts'
import type { Script } from '../../script.ts'
import type { Place, System } from '../../system.ts'

const topic = 'answers'
const waitSeconds = 3600

let script: Script
let handles = 0

const order = DBOS.registerWorkflow(
  async () => {
    let said: unknown
    for (let asked = 0; ; asked++) {
      const [number, last] = [asked, said]
      const next = await DBOS.runStep(async () => script.next(number, last), { name: `model ${asked + 1}` })
      if (next === 'end') return done
      await DBOS.setEvent('asked', asked + 1)
      said = await DBOS.recv(topic, { timeoutSeconds: waitSeconds })
    }
  },
  { name: 'order' },
)

/**
 * A workflow: model calls as steps, an event that says that it asks, `recv` for the answer. DBOS is one to a process: the
 * second handle is a client, as in the process of a web server.
 */
export async function open(place: Place): Promise<System> {
  script = place.script
  handles += 1
  if (handles === 1 || !DBOS.isInitialized()) {
    DBOS.setConfig({
      name: 'bench',
      systemDatabaseUrl: place.database,
      systemDatabasePoolSize: 20,
      logLevel: 'error',
      applicationVersion: '1',
    })
    await DBOS.launch()
    return systemOf({ send: (run) => DBOS.send(run, answer, topic), close: () => DBOS.shutdown() })
  }
  const client = await DBOSClient.create({ systemDatabaseUrl: place.database })
  return systemOf({ send: (run) => client.send(run, answer, topic), close: () => client.destroy() })
}

function systemOf({ send, close }: { send(run: string): Promise<void>; close(): Promise<void> }): System {
  return {
    async start() {
      const { workflowID } = await DBOS.startWorkflow(order)()
      await untilAsked(workflowID, 1)
      return workflowID
    },
    async answer(run, nth) {
      await send(run)
      if (nth < script.asks) return untilAsked(run, nth + 1)
      // In this process the end of a workflow is known at once; a client would look for it every second.
      const handle = DBOS.retrieveWorkflow(run)
      const output = await handle.getResult({ pollingIntervalMs: 1 })
      if (output !== done) throw new Error(`It ended with ${output}.`)
    },
    list: async () => (await DBOS.listWorkflows({ status: 'PENDING' })).length,
    async close() {
      handles -= 1
      await close()
    },
  }
}

async function untilAsked(run: string, nth: number): Promise<void> {
  while ((await DBOS.getEvent<number>(run, 'asked', waitSeconds)) !== nth);
}
