import { tool } from 'querent'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { expectAccessible, office, on, pathOf, player } from './inbox-desk.ts'

const hostile = [
  '# safe\u202Etxt.exe and zero\u200Bwidth and &#x202E;entity \u001B[2K gone',
  `ok${' '.repeat(400)}; rm -rf /`,
  '<img src=x onerror="window.ran=1"><script>window.ran=1</script>',
  '[ok](javascript:window.ran=1) ![remote](https://tracker.example/pixel.png "t") [titled](https://a.example "hidden")',
  '[docs](https://docs.example/a) <https://auto.example/> [bank](https://bank.example@evil.example/) @everyone',
  '[ref]: https://definition.example "d"',
].join('\n\n')

describe('C33', () => {
  test('hostile text in a question, a label, a tool’s input and what the agent says: shown, and nothing of it acts', async () => {
    const run = tool({
      name: 'shell',
      description: 'Runs.',
      input: { type: 'object' },
      approval: true,
      execute: () => 'ran',
    })
    const turns = [
      {
        text: hostile,
        calls: [
          ask({ question: hostile, choices: ['plain', 'a\u202Eb<b>c</b>'] }),
          { tool: 'shell', input: { command: `ls${' '.repeat(400)}\u202E; rm -rf / <img src=x onerror=1>` } },
        ],
      },
      { text: 'Thanks.' },
    ]
    const { open, rested, engine } = await office(player(turns, { tools: [run] }).agents)
    const view = await rested('Mine \u202E too <b>bold</b> [x](javascript:1)')
    const page = await open('/')
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.evaluate((to) => window.history.pushState({}, '', to), `/runs/${view.run}`)
    const { detail, card } = on(page)
    await expect(card).toHaveCount(2)
    const text = `${await detail.textContent()}${await on(page).list.textContent()}`
    for (const seen of ['safe‹U+202E›txt.exe', 'zero‹U+200B›width', '‹U+202E›entity', '‹U+001B›[2K'])
      expect(text).toContain(seen)
    expect(text.match(/‹400 spaces›/g)?.length).toBeGreaterThanOrEqual(3)
    for (const shown of [
      '<img src=x',
      '<script>',
      '[ok](javascript:window.ran=1)',
      '![remote](https://tracker.example/pixel.png',
      '"hidden"',
    ]) {
      expect(text).toContain(shown)
    }
    expect(text).toContain('[ref]: https://definition.example')
    expect(text).toContain('a‹U+202E›b<b>c</b>')
    for (const hidden of ['\u202E', '\u200B', '\u001B']) expect(text).not.toContain(hidden)
    const links = detail.locator('a[href^="http"], a[href^="javascript"]')
    const hrefs = await links.evaluateAll((all) => [...new Set(all.map((each) => each.getAttribute('href')))])
    expect(hrefs).toEqual(['https://docs.example/a', 'https://auto.example/'])
    await expect(links.first()).toHaveAttribute('rel', 'noreferrer noopener nofollow')
    expect(text).toContain('docs (docs.example)')
    expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined()
    await expect(detail.locator('img, script, b, iframe')).toHaveCount(0)
    const origin = new URL(page.url()).origin
    expect(requests.filter((url) => !url.startsWith(origin))).toEqual([])
    await expectAccessible(page)
    // What is answered is the label as it came, whatever was shown of it.
    await page.getByRole('radio').nth(1).check()
    await on(page).button('Send answer').click()
    await expect(card).toHaveCount(1)
    const log = await engine.runs.log(view.run)
    expect(log.findLast(({ type }) => type === 'ask.settled')?.data).toMatchObject({ data: 'a\u202Eb<b>c</b>' })
  })

  test('ordinary Arabic, Hebrew, emoji and accents stay as they are, and run in their own direction', async () => {
    const question = 'ما هو مقاسك؟ 👩‍👩‍👧 naïve'
    const { open, rested } = await office(
      player([{ text: 'שלום', calls: [ask({ question, choices: ['كبير', 'קטן', 'M'] })] }, { text: 'Thanks.' }]).agents,
    )
    const page = await open(pathOf(await rested()))
    const asked = page.locator('.querent-question p')
    await expect(asked).toHaveText(question)
    expect(await asked.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
    await expect(page.getByText('שלום')).toHaveCSS('direction', 'rtl')
    await expect(on(page).rows).toContainText(question)
    await expectAccessible(page)
  })

  test('text that would take a Markdown reader minutes is shown as it was written', async () => {
    const text = '*a'.repeat(40_000)
    const deep = `${'> '.repeat(500)}deep`
    const { open, helper, world } = await office(player([{ text }, { text: deep }]).agents)
    const { run } = await helper().start('Begin')
    await helper().atRest(run)
    const page = await open(`/runs/${run}`)
    await expect(on(page).messages.last()).toHaveText(text)
    // Two ends at one instant would be one to the page, if it hears of nothing between them.
    world.clock.advance(1000)
    await helper().say({ run, text: 'More' })
    await expect(on(page).messages.last()).toContainText('deep')
  })
})

describe('Markdown of a question', () => {
  test('what it has is drawn, and none of it is a heading of the page', async () => {
    const question =
      '## Which **plan**?\n\n- one\n- *two*\n\n1. first\n\n> quoted\n\n`code`\n\n```\nblock\n```\n\n---\n\nline\nnext'
    const { open, rested } = await office(player([{ calls: [ask(question)] }]).agents)
    const page = await open(pathOf(await rested()))
    const asked = page.locator('.querent-question')
    await expect(asked.locator('strong')).toHaveText('plan')
    await expect(asked.locator('li')).toHaveText(['one', 'two', 'first'])
    await expect(asked.locator('blockquote')).toHaveText('quoted')
    await expect(asked.locator('code')).toHaveText(['code', 'block'])
    await expect(asked.locator('h1, h2, h3')).toHaveCount(0)
    await expect(asked.locator('p').last()).toHaveText('line\nnext', { useInnerText: true })
    await expect(on(page).rows).toContainText('Which plan?')
  })
})

test('while an agent writes, what was said before is not parsed again', async () => {
  const link = (name: string) => `See [${name}](https://${name}.example/).`
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const turns = [
    { text: link('first'), calls: [ask(link('second'))] },
    { text: 'Third.', calls: [ask('More?')], hold: held[0]?.promise },
    { text: 'Fourth.', hold: held[1]?.promise },
  ]
  const { open, rested, helper } = await office(player(turns).agents)
  const { run, asks } = await rested()
  const page = await open(`/runs/${run}`)
  await expect(on(page).link('second')).toBeVisible()
  // Each link that is drawn is looked at with `new URL`.
  await page.evaluate(() => {
    const Real = URL
    const seen: string[] = []
    Object.assign(window, { seen })
    window.URL = class extends Real {
      constructor(url: string | URL, base?: string | URL) {
        super(url, base)
        seen.push(String(url))
      }
    }
  })
  const parsed = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  await helper().approve(asks[0] as never, { data: 'yes' })
  await expect(on(page).messages.getByText('Third')).toBeVisible()
  // The question became a line of what was said.
  const before = await parsed()
  held[0]?.resolve()
  const { asks: more } = await helper().atRest(run)
  await helper().approve(more[0] as never, { data: 'no' })
  await expect(on(page).messages.getByText('Fourth')).toBeVisible()
  held[1]?.resolve()
  await expect(page.getByRole('log')).toContainText('Fourth.')
  await helper().atRest(run)
  await expect(page.getByLabel('Write to go on with this run')).toBeVisible()
  expect(before.filter((url) => url.includes('first'))).toEqual([])
  expect(await parsed()).toEqual(before)
})
