import pg from 'pg'

/** Asks a database one thing, on a connection of its own. */
export async function queryOnce(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Bytes of a database, after what stands in memory was written. */
export async function bytesOfDatabase(url: string): Promise<number> {
  await queryOnce(url, 'checkpoint')
  const [row] = await queryOnce(url, 'select pg_database_size(current_database()) as bytes')
  return Number(row?.bytes)
}
