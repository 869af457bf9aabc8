import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from '../client/client.ts'
import { QuerentProvider } from '../react/provider.tsx'
import { App } from './app.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element "root".')

createRoot(root).render(
  <StrictMode>
    <QuerentProvider client={createClient({ url: '' })}>
      <App />
    </QuerentProvider>
  </StrictMode>,
)
