import { postgres } from 'querent/postgres'
import type { Place, System } from '../system.ts'
import { fakeModel } from './fake-model.ts'
import { openOn } from './querent.ts'

/**
 * Querent on Postgres. The process that answers has a free worker, which claims the run in the same transaction: no
 * dispatcher is waited for.
 */
export async function open({ database, script }: Place): Promise<System> {
  if (database === undefined) throw new Error('It needs a database.')
  return openOn(postgres(database, { connections: 16 }), fakeModel(script))
}
