import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from '@playwright/test'
import { type AgentOptions, type AgentRecord, agent, type Engine, type Helper, type RunView } from 'querent'
import { inboxPage, type ServerOptions } from 'querent/server'
import { type ScriptedModel, scriptedModel, type TurnSource } from 'querent/testing'
import { build } from 'vite'
import { afterAll, beforeAll } from 'vitest'
import { helperOf, type World, world } from '../engine/world.ts'
import { type Served, serve } from '../server/served.ts'
import { expect, openBrowser, openPage } from './browser.ts'

let folder: string

// With the development build of React: it warns, and StrictMode mounts twice. A warning on the console fails a test.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querent-inbox-'))
  await build({
    configFile: 'vite.inbox.config.ts',
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { outDir: folder, minify: false },
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** An engine with the inbox page before it, over real HTTP. */
export interface Office extends Served {
  engine: Engine
  world: World
  /** The page of a person, in a browser of theirs where none is given. */
  open(path?: string, options?: BrowserContextOptions & { as?: string; context?: BrowserContext }): Promise<Page>
  helper(agentName?: string, person?: string): Helper
  /** Starts a run of Ann's and waits until it rests. */
  rested(input?: string, agentName?: string): Promise<RunView>
}

export async function office(
  agents: AgentRecord[],
  { world: its = world(), port = 0, ...options }: Partial<ServerOptions> & { world?: World; port?: number } = {},
): Promise<Office> {
  const engine = await its.open(agents)
  const served = await serve(engine, { port, fallback: inboxPage({ folder }), clock: its.clock, ...options })
  const helper = (agentName = agents[0]?.name ?? '', person = 'ann') => helperOf(engine, agentName, person)
  return {
    ...served,
    engine,
    world: its,
    helper,
    async open(path = '/', { as = 'ann', context, ...options } = {}) {
      const extraHTTPHeaders: Record<string, string> = as === '' ? {} : { authorization: `Bearer ${as}` }
      const own = context ?? (await openBrowser({ extraHTTPHeaders, ...options }))
      return openPage(served.url + path, { context: own })
    },
    async rested(input = 'Begin', agentName) {
      const its = helper(agentName)
      const { run } = await its.start(input)
      return its.atRest(run)
    },
  }
}

/** An agent that plays turns; anew for each engine, as a new process has it. */
export function player(
  turns: TurnSource[],
  { name = 'asker', ...options }: AgentOptions & { name?: string } = {},
): { model: ScriptedModel; agents: [AgentRecord] } {
  const model = scriptedModel(turns)
  return { model, agents: [agent(name, { questions: true, ...options, model }) as AgentRecord] }
}

/** Where the one ask of a run is shown. */
export function pathOf({ asks: [ask] }: RunView): string {
  return `/asks/${ask?.id}?run=${ask?.run}`
}

/** What a person sees and presses. */
export const on = (page: Page) => ({
  list: page.getByRole('region', { name: /^Inbox|^Runs/ }),
  rows: page.locator('[data-row]'),
  detail: page.locator('#detail'),
  card: page.locator('.ask-card'),
  heading: page.locator('#detail h1'),
  note: page.locator('.note'),
  banner: page.locator('.banner'),
  messages: page.locator('.message-text'),
  button: (name: string): Locator => page.getByRole('button', { name, exact: true }),
  link: (name: string | RegExp): Locator => page.getByRole('link', { name }),
})

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Looks at a state as it is drawn light and dark, on a desk and on a phone: axe finds nothing, and nothing is cut off. */
export async function expectAccessible(page: Page): Promise<void> {
  const desk = page.viewportSize()
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const axe = new AxeBuilder({ page })
      // The same elements in other colours: only those can be wrong.
      const { violations } = await (colorScheme === 'light'
        ? axe.withTags(rules)
        : axe.withRules('color-contrast')
      ).analyze()
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
      )
      expect(found, `axe, ${size.width} px, ${colorScheme}`).toEqual([])
    }
    expect(await sidewaysOverflow(page), `sideways overflow at ${size.width} px`).toBeLessThanOrEqual(0)
  }
  // What a desk of 1280 px shows at 400 % (WCAG 1.4.10).
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await sidewaysOverflow(page), 'sideways overflow at 320 px').toBeLessThanOrEqual(0)
  if (desk) await page.setViewportSize(desk)
}

/** By how much what is drawn is wider than the window, or than the pane it scrolls in. */
function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const panes = [document.documentElement, ...document.querySelectorAll('.pane-scroll')]
    return Math.max(...panes.map((pane) => pane.scrollWidth - pane.clientWidth))
  })
}
