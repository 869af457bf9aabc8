import { join } from 'node:path'
import type { BrowserContext, Locator, Page } from '@playwright/test'
import type { RunView } from 'querent'
import { expect as expectInTime, openBrowser, openPage } from './browser.ts'
import { bundle } from './bundle.ts'

/** The page of react-page.tsx. */
export const fallback = await bundle(join(import.meta.dirname, 'react-page.tsx'))

/** Waits for what is to be seen, for longer than a busy machine takes. */
export const expect = expectInTime.configure({ timeout: 20_000 })

/** The page of one person, and what can be seen of it. */
export interface Desk {
  page: Page
  context: BrowserContext
  /** Requests to the API so far, as `GET /path`. */
  requests: string[]
  /** What stands under a label. */
  shown(label: string): Locator
  /** The lines of the conversation. */
  messages: Locator
  /** The asks of the run that is shown, and those over all runs. */
  open: Locator
  asks: Locator
  click(button: string): Promise<void>
  /** What became of answers, in order. */
  heard(): Promise<string[]>
}

export async function openDesk(
  url: string,
  { as = 'ann', runs = [], flags = [], agent }: { as?: string; runs?: string[]; flags?: string[]; agent?: string } = {},
  given?: BrowserContext,
): Promise<Desk> {
  const context = given ?? (await openBrowser())
  const requests: string[] = []
  context.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) requests.push(`${request.method()} ${pathname}`)
  })
  const query = new URLSearchParams([
    ['as', as],
    ...runs.map((run) => ['run', run]),
    ...flags.map((flag) => [flag, '']),
    ...(agent === undefined ? [] : [['agent', agent]]),
  ])
  const page = await openPage(`${url}/?${query}`, { context })
  return {
    page,
    context,
    requests,
    shown: (label) => page.getByLabel(label, { exact: true }),
    messages: page.getByRole('list', { name: 'messages' }).getByRole('listitem'),
    open: page.getByRole('list', { name: 'open' }).getByRole('listitem'),
    asks: page.getByRole('region', { name: 'asks' }).getByRole('listitem'),
    click: (button) => page.getByRole('button', { name: button, exact: true }).click(),
    heard: () => page.evaluate(() => (window as unknown as { heard: string[] }).heard),
  }
}

/** The lines that the page is to show of a run. */
export function linesOf(view: RunView): string[] {
  return view.messages.map((line) => {
    if (line.role !== 'ask') return `${line.role}: ${line.text}`
    const { end, ask } = line
    const ended = end ? `${end.outcome} by ${end.by} at ${end.at} ${JSON.stringify(end.data)}` : 'open'
    return `ask: ${(ask.input as { question: string }).question} ${ended}`
  })
}
