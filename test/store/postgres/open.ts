import { postgres } from '../../../src/store/postgres/postgres.ts'
import type { OpenStores } from '../../../src/testing/store-kit/store-case.ts'
import { borrowSchema } from '../../setup/postgres-database.ts'

/** Two handles on one empty schema. */
export const openPostgres: OpenStores = async (clock) => {
  const { url, schema, drop } = borrowSchema()
  const options = { schema, clock, connections: 4 }
  const [first, second] = [postgres(url, options), postgres(url, options)]
  const close = async () => {
    await Promise.all([first.close(), second.close()])
    await drop()
  }
  return { first, second, close }
}
