import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { type Clock, type PersonHandle, systemClock } from '../protocol/core.ts'
import { Stores } from './stores.ts'

const Context = createContext<Stores | undefined>(undefined)

export interface QuerentProviderProps {
  /** `createClient({ url })`. Make it once, outside of components: another client is another person, and begins anew. */
  client: PersonHandle
  /** Default: the system's. */
  clock?: Clock
  children?: ReactNode
}

/**
 * Gives the hooks below it their client. However many of them look, one stream tells of a person's asks and runs; it is
 * open while one of them looks.
 */
export function QuerentProvider({ client, clock = systemClock, children }: QuerentProviderProps): ReactNode {
  const stores = useMemo(() => new Stores(client, clock), [client, clock])
  return <Context.Provider value={stores}>{children}</Context.Provider>
}

/** What the hooks share. @throws Error Outside of a provider. */
export function useStores(): Stores {
  const stores = useContext(Context)
  if (!stores) throw new Error('This hook needs a <QuerentProvider client={…}> above it.')
  return stores
}

/** The client of the provider, for what no hook does. */
export function useClient(): PersonHandle {
  return useStores().client
}
