/**
 * A store of one's own over the conformance kit. This one wraps SQLite and counts what passes through: yours would speak
 * to another database; the kit does not care.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlite } from 'querent/sqlite'
import { runStoreCase, type Store, storeCases } from 'querent/testing'

let calls = 0

function counted(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      calls += 1
      return Reflect.get(target, name)
    },
  })
}

for (const storeCase of storeCases) {
  await runStoreCase(storeCase, async (clock) => {
    const dir = mkdtempSync(join(tmpdir(), 'querent-store-'))
    const first = counted(sqlite(join(dir, 'kit.db'), { clock }))
    const second = counted(sqlite(join(dir, 'kit.db'), { clock }))
    return {
      first,
      second,
      async close() {
        await Promise.all([first.close(), second.close()])
        rmSync(dir, { recursive: true, force: true })
      },
    }
  })
}
console.log(`${storeCases.length} cases hold: ${calls > 0}`)
