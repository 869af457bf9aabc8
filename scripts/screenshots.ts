/**
 * Draws the screenshots of the README: the inbox page with the agents of `npm start`, in a real Chromium.
 * `node --conditions querent-source scripts/screenshots.ts [folder]`.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from '@playwright/test'
import { createEngine, type Engine } from 'querent'
import { createServer, inboxPage, nodeHandler } from 'querent/server'
import { build } from 'vite'
import { findChromium } from '../test/setup/chromium.ts'

const target = resolve(process.argv[2] ?? 'docs/screenshots')
const temporary = mkdtempSync(join(tmpdir(), 'querent-screenshots-'))

const looks = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 1.5, hasTouch: true },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 1.5, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>

/** Which pictures are kept of each look: enough to see all of it, and no more than a repository should carry. */
const kept: Record<keyof typeof looks, string[]> = {
  light: ['list', 'choices', 'shape', 'error', 'approval', 'run'],
  dark: ['choices', 'approval', 'run'],
  phone: ['list', 'choices', 'error', 'approval'],
  'phone-dark': ['run'],
}

/** Runs whose asks fill the list, each parked where its picture shows it. */
async function prepare(engine: Engine) {
  const ann = engine.as({ id: 'ann' })
  const start = async (agent: string, input: string) => {
    const helper = ann.agent(agent)
    const { run } = await helper.start(input)
    const view = await helper.atRest(run)
    return { run, ask: view.asks[0]?.id ?? '', asks: view.asks, helper }
  }
  await start('handbook', 'How many days of holiday do I have?')
  const plan = await start('planning', 'Prepare the plan for the next quarter.')
  const trip = await start('trips', 'Three days in Lisbon in May, for two.')
  const booking = await start('trips', 'A long weekend for two.')
  await booking.helper.approve({ id: booking.ask, run: booking.run }, { data: 'Sea and walking' })
  await booking.helper.atRest(booking.run)
  const order = await start('shirts', 'I need a T-shirt for the team day.')
  await order.helper.approve({ id: order.ask, run: order.run }, { data: 'M' })
  const delivery = (await order.helper.atRest(order.run)).asks[0]?.id ?? ''
  const shirt = await start('shirts', 'I need a T-shirt.')
  const release = await start('releases', 'Ship the web shop.')
  return { plan, trip, shirt, release, delivery: { ...order, ask: delivery } }
}

const { path, env } = (() => {
  const found = findChromium()
  if ('missing' in found) throw new Error(found.missing)
  return found
})()

async function main() {
  mkdirSync(target, { recursive: true })
  await build({ configFile: 'vite.inbox.config.ts', build: { outDir: join(temporary, 'page') } })
  process.env.INBOX_DATABASE = join(temporary, 'inbox.db')
  process.env.INBOX_WORD_MS = '0'
  const { default: config } = await import('../examples/inbox/querent.config.ts')
  const engine = createEngine(config)
  await engine.start()
  const server = createServer(engine, {
    identify: () => ({ id: 'ann' }),
    fallback: inboxPage({ folder: join(temporary, 'page') }),
  })
  const handle = nodeHandler(server)
  const http = createHttpServer((incoming, outgoing) => void handle(incoming, outgoing)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const browser = await chromium.launch({
    executablePath: path,
    env: { ...(process.env as Record<string, string>), ...env },
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const scene = await prepare(engine)
    for (const [look, options] of Object.entries(looks)) {
      const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options })
      const page = await context.newPage()
      const shoot = async (name: string) => {
        if (!kept[look as keyof typeof looks].includes(name)) return
        await page.screenshot({ path: join(target, `${name}-${look}.png`), animations: 'disabled' })
      }
      const open = async (to: string) => {
        await page.goto(url + to)
        await page.waitForLoadState('load')
        await page.locator(':is([data-row], .nothing, .ask-card, .choice):visible').first().waitFor()
      }
      await draw(page, { scene, shoot, open })
      await context.close()
    }
  } finally {
    await browser.close()
    http.close()
    http.closeAllConnections()
    await server.close()
    await engine.close()
    rmSync(temporary, { recursive: true, force: true })
  }
}

interface Drawing {
  scene: Awaited<ReturnType<typeof prepare>>
  shoot: (name: string) => Promise<unknown>
  open: (path: string) => Promise<void>
}

async function draw(page: Page, { scene, shoot, open }: Drawing) {
  const openAsk = async (ask: string) => {
    await open(`/asks/${ask}`)
    await page.locator('.ask-card-open').waitFor()
  }
  await open('/')
  await shoot('list')
  await openAsk(scene.shirt.ask)
  await page.getByLabel('M', { exact: true }).check()
  await shoot('choices')
  await openAsk(scene.delivery.ask)
  await shoot('shape')
  await page.getByLabel('How many').fill('none')
  await page.getByRole('button', { name: 'Send answer' }).click()
  await page.locator('.querent-error').first().waitFor()
  await shoot('error')
  await openAsk(scene.release.ask)
  await shoot('approval')
  await open(`/runs/${scene.release.run}`)
  await page.locator('.message').first().waitFor()
  await shoot('run')
}

await main()
