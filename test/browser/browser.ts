import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  expect as expectSoon,
  type Page,
} from '@playwright/test'
import { afterAll, beforeAll, inject, onTestFinished, type TestAPI, test as vitestTest } from 'vitest'

/** As Playwright's, with the patience that a machine with two busy cores needs: what holds is seen at once all the same. */
export const expect = expectSoon.configure({ timeout: 20_000 })

const found = inject('chromium')

/** `test`, skipped on a developer's machine that has no Chromium. With `CI` set the run has failed before. */
export const test: TestAPI = ('missing' in found ? vitestTest.skip : vitestTest) as TestAPI

let browser: Browser | undefined
/** What the browser puts into its temporary folder it does not always remove itself. */
let folder: string | undefined

beforeAll(async () => {
  if ('missing' in found) return
  const { path, env } = found
  folder = mkdtempSync(join(tmpdir(), 'chromium-'))
  browser = await chromium.launch({
    executablePath: path,
    env: { ...(process.env as Record<string, string>), ...env, TMPDIR: folder },
    // As root, as in most containers, there is no sandbox. The rest keeps it from calling home.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  })
})

afterAll(async () => {
  await browser?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** A browser of one person, with cookies and storage of its own. It is closed when the test ends. */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  if (browser === undefined) throw new Error('There is no browser: use `test` of this file.')
  const context = await browser.newContext({ timezoneId: 'Europe/Berlin', locale: 'en-GB', ...options })
  context.setDefaultTimeout(20_000)
  onTestFinished(() => context.close())
  return context
}

/** A page whose errors fail the test: what it throws, and what its content security policy had to block. */
export async function openPage(
  url: string,
  { context, ...options }: BrowserContextOptions & { context?: BrowserContext } = {},
): Promise<Page> {
  const page = await (context ?? (await openBrowser(options))).newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error.stack ?? error)))
  page.on('console', (message) => {
    // A failed request is reported too: offline is a state of the page, not a fault of it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  onTestFinished(() => {
    if (errors.length > 0) throw new Error(`The page reported errors:\n${errors.join('\n')}`)
  })
  await page.goto(url)
  return page
}
