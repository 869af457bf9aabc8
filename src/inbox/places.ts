/** Where in the page somebody is: its address, read once. */
export type Place =
  | { page: 'inbox'; ask?: string; run?: string }
  | { page: 'runs'; run?: string }
  | { page: 'new' }
  | { page: 'unknown' }

/** Reads an address. `run` of an ask is where to look for it once it waits no more and no list has it. */
export function placeOf(path: string, search = ''): Place {
  const [first, second, ...more] = path.split('/').filter((part) => part !== '')
  const id = second === undefined ? undefined : decoded(second)
  if (more.length > 0 || (second !== undefined && id === undefined)) return { page: 'unknown' }
  if (first === undefined) return { page: 'inbox' }
  if (first === 'asks' && id !== undefined) {
    const run = new URLSearchParams(search).get('run')
    return { page: 'inbox', ask: id, ...(run === null ? {} : { run }) }
  }
  if (first === 'runs') return id === undefined ? { page: 'runs' } : { page: 'runs', run: id }
  return first === 'new' && id === undefined ? { page: 'new' } : { page: 'unknown' }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

export function askPath({ id, run }: { id: string; run: string }): string {
  return `/asks/${encodeURIComponent(id)}?run=${encodeURIComponent(run)}`
}

export function runPath(run: string): string {
  return `/runs/${encodeURIComponent(run)}`
}
