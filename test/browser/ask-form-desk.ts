import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { type AgentRecord, type Ask, agent, type Json, type RunView } from 'querent'
import { scriptedModel, type TurnSource } from 'querent/testing'
import { ended, helperOf, resultsIn, world } from '../engine/world.ts'
import { serve } from '../server/served.ts'
import { expect, openBrowser, openPage } from './browser.ts'
import { bundle } from './bundle.ts'

/** The page of ask-form-page.tsx. */
const fallback = await bundle(join(import.meta.dirname, 'ask-form-page.tsx'))

/** A page with the form, and what a person does there. */
export interface Desk {
  page: Page
  form: Locator
  field(label: string): Locator
  click(button: string): Promise<void>
  send(): Promise<void>
  alert: Locator
  errors: Locator
  status: Locator
}

function deskOf(page: Page): Desk {
  const form = page.locator('form')
  const click = (button: string) => form.getByRole('button', { name: button, exact: true }).click()
  return {
    page,
    form,
    click,
    field: (label) => form.getByLabel(label, { exact: true }),
    send: () => click('Send answer'),
    alert: form.locator('.querent-alert'),
    errors: form.locator('.querent-error'),
    status: form.getByRole('status'),
  }
}

/** A run of Ann's that waits, and the page on which she answers it over HTTP. */
export async function asked(
  turns: TurnSource[],
  { tools = [], flags = [] }: { tools?: AgentRecord['tools']; flags?: string[] } = {},
) {
  const { open } = world()
  const model = scriptedModel([...turns, { text: 'Done.' }])
  const engine = await open([agent('asker', { model, tools, questions: true })])
  const helper = helperOf(engine, 'asker')
  const { run } = await helper.start('go')
  await helper.atRest(run)
  const served = await serve(engine, { fallback })
  const query = ['as=ann', ...flags].join('&')
  const page = await openPage(`${served.url}/?${query}`)
  /** The run when it is over, and what the model heard of its first turn. */
  const end = async (): Promise<{ view: RunView; heard: Json[] }> => {
    const view = await ended(helper, run)
    return { view, heard: resultsIn(model.prompts[1]).map((result) => (result as { value: Json }).value) }
  }
  return { ...deskOf(page), url: served.url, served, engine, helper, run, model, end }
}

/** What the page sends and how it ends is the test's: for asks that no engine asks, and errors as they come. */
export interface Bench extends Desk {
  sent(): Promise<Json[]>
  settle(error?: { code: string; message?: string; data?: object }): Promise<void>
}

/** The form with these asks, and no server behind it. */
export async function bench(
  asks: Partial<Ask>[],
  { flags = [], ...options }: { flags?: string[] } & NonNullable<Parameters<typeof openBrowser>[0]> = {},
): Promise<Bench> {
  const context = await openBrowser(options)
  await context.route('http://page.test/**', async (route) => {
    const response = fallback(new Request(route.request().url()))
    const headers = Object.fromEntries(response.headers)
    await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) })
  })
  await context.addInitScript((all) => Object.assign(window, { asks: all }), asks.map(askOf) as object[])
  const page = await openPage(`http://page.test/?${flags.join('&')}`, { context })
  const sent = () => page.evaluate(() => (window as unknown as { sent: Json[] }).sent)
  return {
    ...deskOf(page),
    sent,
    settle: (error) =>
      page.evaluate((given) => (window as unknown as { settle(error?: object): void }).settle(given), error),
  }
}

/** An ask as a screen has it, what is not given made up. */
export function askOf(ask: Partial<Ask>, index = 0): Ask {
  return {
    id: `ask_${index}`,
    kind: 'question',
    run: 'run_1',
    agent: 'asker',
    path: ['asker'],
    repeat: 1,
    step: 'question 1.1',
    n: 1,
    tool: 'question',
    input: { question: 'Well?' },
    since: '2026-01-31T12:00:00.000Z',
    ...ask,
  }
}

/** Fails where axe finds something that keeps people out. */
export async function expectAccessible({ page }: Desk): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
}
