import { type Ask, code, type Json } from 'querent'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { asked, type Bench, bench, type Desk, expectAccessible } from './ask-form-desk.ts'
import { expect, test } from './browser.ts'

const pair: Partial<Ask>[] = [
  { id: 'ask_a', input: { question: 'First?' } },
  { id: 'ask_b', input: { question: 'First?' } },
]

describe('C43: drafts', () => {
  test('C43: a draft never crosses asks, and is there again after the other one', async () => {
    const desk = await bench(pair)
    const to = (number: number) => desk.page.getByRole('button', { name: `Ask ${number}` }).click()
    await desk.field('Your answer').fill('for the first')
    await to(2)
    await expect(desk.field('Your answer')).toHaveValue('')
    await desk.field('Your answer').fill('for the second')
    await to(1)
    await expect(desk.field('Your answer')).toHaveValue('for the first')
    await desk.send()
    // The answer is under way, and ends at its own ask.
    await to(2)
    await desk.settle({ code: code.T0002, data: { issues: [{ path: '', message: 'must not be blank' }] } })
    await expect(desk.errors).toHaveCount(0)
    await expect(desk.status).toHaveText('')
    await desk.send()
    await desk.settle()
    await expect(desk.status).toHaveText('Your answer was sent.')
    await to(1)
    await expect(desk.errors).toHaveText('Must not be blank.')
    expect(await desk.sent()).toEqual([{ data: 'for the first' }, { data: 'for the second' }])
  })

  test('C43: a draft survives a reload, in every part, and is forgotten when it is sent', async () => {
    const shape = {
      type: 'object',
      properties: { a: { enum: ['x', 'y'] }, b: { type: 'array', items: { type: 'string' } } },
    }
    const desk = await bench([...pair, { id: 'ask_c', input: { question: 'Q', shape } }], { flags: ['drafts'] })
    const to = (number: number) => desk.page.getByRole('button', { name: `Ask ${number}` }).click()
    await desk.field('Your answer').fill('half')
    await to(2)
    await desk.click('Refuse …')
    await desk.field('Why? (may be left blank)').fill('since')
    await to(3)
    await desk.field('y').check()
    await desk.click('Add to b')
    await desk.page.keyboard.type('item')
    await desk.page.reload()
    await expect(desk.field('Your answer')).toHaveValue('half')
    await desk.send()
    await desk.settle()
    await expect(desk.status).toHaveText('Your answer was sent.')
    await to(2)
    await expect(desk.field('Why? (may be left blank)')).toHaveValue('since')
    await to(3)
    await expect(desk.field('y')).toBeChecked()
    await expect(desk.field('b 1')).toHaveValue('item')
    await desk.page.reload()
    await expect(desk.field('Your answer')).toHaveValue('')
    expect(await desk.page.evaluate(() => Object.keys(localStorage).sort())).toEqual([
      'querent.draft.ask_b',
      'querent.draft.ask_c',
      'querent.drafts',
    ])
  })

  test('a draft of another version, or of anybody, is not drawn', async () => {
    const desk = await bench([{ id: 'ask_a', input: { question: 'Q', shape: { enum: ['x'] } } }], { flags: ['drafts'] })
    for (const kept of [
      '{',
      '[]',
      '{"typed": {"at": [7]}}',
      '{"typed": {"at": "x"}, "json": 5, "reason": {}}',
      '"x"',
    ]) {
      await desk.page.evaluate((text) => localStorage.setItem('querent.draft.ask_a', text), kept)
      await desk.page.reload()
      await expect(desk.field('x')).toBeVisible()
      await expect(desk.form.getByRole('button', { name: 'Refuse …' })).toBeVisible()
    }
  })
})

describe('what becomes of an answer', () => {
  test('C43: a double click, and Enter while it is under way, are one request', async () => {
    const desk = await bench(pair)
    await desk.field('Your answer').fill('x')
    await desk.form.getByRole('button', { name: 'Send answer' }).dblclick()
    await desk.form.evaluate((form: HTMLFormElement) => form.requestSubmit())
    await expect(desk.form).toHaveAttribute('aria-busy', 'true')
    await expect(desk.status).toHaveText('Sending …')
    await expect(desk.field('Your answer')).toBeDisabled()
    await desk.settle()
    await expect(desk.status).toHaveText('Your answer was sent.')
    await desk.form.evaluate((form: HTMLFormElement) => form.requestSubmit())
    expect(await desk.sent()).toEqual([{ data: 'x' }])
  })

  const ends: [string, object, RegExp, 'goes on' | 'is over'][] = [
    ['none', {}, /could not be sent\. What you wrote is kept/, 'goes on'],
    [code.T3004, {}, /Send it again when you are online/, 'goes on'],
    [code.T3003, {}, /Send it again/, 'goes on'],
    [code.T0012, {}, /Said by the server\. What you wrote is kept/, 'goes on'],
    [code.T0002, { issues: [] }, /cannot be sent yet/, 'goes on'],
    [
      code.T0003,
      { outcome: 'approved', by: { type: 'person', id: 'b\u202Eob' }, at: '2026-01-31T12:00:00Z' },
      /approved by b‹U\+202E›ob at 31 Jan 2026, 13:00/,
      'is over',
    ],
    [code.T0003, { outcome: 'withdrawn', by: { type: 'run' } }, /settled already: withdrawn\. Nothing/, 'is over'],
    [code.T0005, { until: '2026-01-31T12:00:00Z' }, /expired at 31 Jan 2026, 13:00/, 'is over'],
    [code.T0001, {}, /not here any more/, 'is over'],
  ]
  for (const [name, data, said, how] of ends) {
    test(`${name}: it says what can be done, and keeps what was written`, async () => {
      const desk = await bench(pair, { flags: ['drafts'] })
      await desk.field('Your answer').fill('long thought')
      await desk.send()
      await desk.settle({ code: name, data })
      await expect(desk.alert).toHaveText(said)
      await expect(desk.alert).toBeFocused()
      await expect(desk.field('Your answer')).toHaveValue('long thought')
      await expectAccessible(desk)
      if (how === 'is over') {
        await expect(desk.field('Your answer')).toBeDisabled()
        await expect(desk.form.getByRole('button')).toHaveCount(0)
      } else {
        await desk.send()
        await desk.settle()
        await expect(desk.status).toHaveText('Your answer was sent.')
        await expect(desk.alert).toHaveCount(0)
      }
    })
  }

  test('C34, C43: answered elsewhere while it was open: who, and when', async () => {
    const desk = await asked([{ calls: [ask('Name?')] }])
    await desk.field('Your answer').fill('mine')
    await desk.helper.approve({ run: desk.run, step: 'question 1.1', data: 'theirs' })
    await desk.send()
    await expect(desk.alert).toHaveText(/settled already: approved by ann at/)
    expect((await desk.end()).heard).toEqual(['theirs'])
  })

  test('offline: the answer is kept, and sent again it counts once', async () => {
    const desk = await asked([{ calls: [ask('Name?')] }])
    await desk.field('Your answer').fill('Ann')
    await desk.page.context().setOffline(true)
    await desk.send()
    await expect(desk.alert).toHaveText(/Send it again when you are online/)
    await desk.page.context().setOffline(false)
    await desk.send()
    await expect(desk.status).toHaveText('Your answer was sent.')
    expect((await desk.end()).heard).toEqual(['Ann'])
  })
})

/** All text of the form but what the person is typing themselves. */
function textOf({ form }: Desk): Promise<string> {
  return form.evaluate((element) => {
    const copy = element.cloneNode(true) as Element
    for (const input of copy.querySelectorAll('textarea')) input.remove()
    return copy.textContent ?? ''
  })
}

describe('C33: what is shown cannot act, and hides nothing', () => {
  const tricks =
    'a\u202Eb\u200Bc\u001B[2K\rd' +
    ' '.repeat(2_000) +
    '; rm -rf / <img src=x onerror=alert(1)> [ok](javascript:1) ![x](https://evil.test/x.png) @everyone'
  const plain = 'مرحبا שלום 👩\u200D👩\u200D👧 é'

  test('C33: in a question, its choices, a shape and a call', async () => {
    const shape: Json = {
      type: 'object',
      title: tricks,
      properties: {
        [tricks]: { type: 'string', title: tricks, description: tricks, format: tricks, pattern: tricks },
        [plain]: { enum: [tricks, plain] },
      },
    }
    const desk = await bench([
      {
        id: 'a',
        input: { question: `${tricks}\n${plain}` },
        options: [{ label: tricks, description: tricks }, { label: plain }],
      },
      { id: 'b', input: { question: 'Q', shape } },
      { id: 'c', kind: 'approval', tool: 'shell', input: { cmd: tricks, [tricks]: plain }, editable: true },
    ])
    const requests: string[] = []
    desk.page.on('request', (request) => requests.push(request.url()))
    for (const at of [1, 2, 3]) {
      await desk.page.getByRole('button', { name: `Ask ${at}`, exact: true }).click()
      if (at === 3) await desk.click('Change the input …')
      const text = await textOf(desk)
      expect(['\u202E', '\u200B', '\u001B'].filter((hidden) => text.includes(hidden))).toEqual([])
      expect(text).toContain('‹U+202E›')
      expect(text).toContain('‹2000 spaces›; rm -rf /')
      expect(text).toContain(plain)
      expect(await desk.form.locator('img, a, script').count()).toBe(0)
      await expectAccessible(desk)
    }
    expect(requests).toEqual([])
    // What is answered is what was offered, to the character.
    await desk.page.getByRole('button', { name: 'Ask 1', exact: true }).click()
    await desk.form.getByRole('radio').first().check()
    await desk.send()
    expect(await desk.sent()).toEqual([{ data: tricks }])
  })

  test('C33: what draws Markdown is given what is safe to read', async () => {
    const desk = await bench([{ input: { question: '**A**\u202E' } }], { flags: ['rendered'] })
    await expect(desk.form.locator('.querent-question em')).toHaveText('**A**‹U+202E›')
  })
})

describe('nobody is kept out', () => {
  const shape = {
    type: 'object',
    properties: {
      text: { type: 'string', description: 'About it', minLength: 2 },
      story: { type: 'string', maxLength: 1_000 },
      n: { type: 'integer' },
      yes: { type: 'boolean' },
      land: { enum: ['1', '2', '3', '4', '5', '6', '7', '8'] },
      extras: { type: 'array', items: { enum: ['a', 'b'] } },
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      list: { type: 'array', items: { type: 'object', properties: { x: { type: 'string' } } } },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      json: {},
    },
    required: ['text', 'n', 'yes', 'land', 'either', 'json'],
  }
  const asks: Partial<Ask>[] = [
    { id: 'text', input: { question: 'Name?' } },
    {
      id: 'choices',
      options: [{ label: 'a', description: 'the first' }, { label: 'b' }],
      input: { question: 'Q', other: true },
    },
    { id: 'several', options: [{ label: 'a' }, { label: 'b' }], input: { question: 'Q', multi: true, other: true } },
    { id: 'shape', input: { question: 'Q', shape } },
    { id: 'approval', kind: 'approval', tool: 'send', input: { to: 'bob', body: 'a\nb' }, editable: true },
    { id: 'stranger', kind: 'x', input: [1, 2] },
  ]
  for (const look of [
    { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ] as const) {
    for (const each of asks) {
      test(`axe finds nothing in any state: ${each.id}, ${look.colorScheme}, ${look.viewport.width} px wide`, async () => {
        const desk = await bench([each], look)
        await expectAccessible(desk)
        await makeWrong(desk)
        await expect(desk.errors.first()).toBeVisible()
        await expectAccessible(desk)
        await desk.click('Refuse …')
        await expectAccessible(desk)
        await desk.click('Refuse')
        await desk.settle()
        await expect(desk.status).toHaveText('You refused this.')
        await expectAccessible(desk)
        const overflow = await desk.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(overflow).toBeLessThanOrEqual(0)
      })
    }
  }

  /** Opens what can be opened, and sends what is wrong. */
  async function makeWrong(desk: Bench): Promise<void> {
    const { form } = desk
    if ((await form.getAttribute('data-kind')) === 'approval') {
      await desk.click('Change the input …')
      await desk.click('Approve with this input')
      return desk.settle({ code: code.T0002, data: { issues: [{ path: '/input/to', message: 'is wrong' }] } })
    }
    for (const option of await form.getByLabel('Something else …').all()) await option.check()
    for (const add of await form.getByRole('button', { name: 'Add to list' }).all()) await add.click()
    await desk.send()
  }
})
