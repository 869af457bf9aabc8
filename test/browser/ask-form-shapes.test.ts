import type { Json } from 'querent'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { asked, bench, type Desk, expectAccessible } from './ask-form-desk.ts'
import { expect, test } from './browser.ts'

const shaped = (shape: Json) => ({ calls: [ask({ question: 'Please fill in.', shape })] })

const c21 = {
  type: 'object',
  properties: { a: { type: 'boolean', default: true }, n: { type: 'integer' }, opt: { type: 'number' } },
  required: ['a', 'n'],
  additionalProperties: false,
}

const c27 = {
  $defs: { size: { enum: ['S', 'M', 'L'], title: 'Size' } },
  type: 'object',
  properties: {
    size: { $ref: '#/$defs/size' },
    rank: { title: 'Rank', oneOf: [1, 2].map((rank) => ({ const: rank, title: `rank ${rank}` })) },
    land: { title: 'Land', enum: ['AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'GB', 'IT'], default: 'CH' },
    extras: {
      title: 'Extras',
      type: 'array',
      items: { enum: ['gift', 'card', 'box'] },
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
    },
    who: {
      title: 'Who',
      type: 'object',
      properties: {
        name: { type: 'string', default: 'Ann' },
        home: { title: 'Home', type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
      required: ['name', 'home'],
    },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    link: { type: 'string', format: 'uri' },
    guests: { title: 'Guests', type: 'array', items: { type: 'string', title: 'Guest' } },
  },
  required: ['size', 'rank', 'land', 'extras', 'who', 'mail', 'day', 'at', 'link', 'guests'],
}

async function writeJson(desk: Desk, json: string): Promise<void> {
  await desk.click('Write it as JSON')
  await desk.field('Your answer').fill(json)
}

describe('C21: the form sends what it shows', () => {
  test('C21: untouched, a default is sent, a required number is missed at its field, and an optional one left out', async () => {
    const desk = await asked([shaped(c21)])
    await expect(desk.form.getByRole('radiogroup', { name: 'a' }).getByLabel('yes')).toBeChecked()
    await desk.send()
    await expect(desk.errors).toHaveText('An answer is needed here.')
    await expect(desk.field('n')).toBeFocused()
    await expect(desk.field('n')).toHaveAccessibleDescription(/An answer is needed here/)
    expect(desk.model.calls).toBe(1)
    await desk.field('n').fill('3')
    await desk.send()
    expect(await desk.end()).toMatchObject({ heard: [{ a: true, n: 3 }] })
  })

  test('C21: what was typed and cleared is left out', async () => {
    const desk = await asked([shaped(c21)])
    await desk.field('n').fill('1.0')
    await desk.form.getByLabel('opt (optional)').fill('5')
    await desk.form.getByLabel('opt (optional)').fill('')
    await desk.form.getByRole('radiogroup', { name: 'a' }).getByLabel('no').check()
    await desk.send()
    const { heard } = await desk.end()
    expect(heard).toEqual([{ a: false, n: 1 }])
  })

  test('C21: what does not convert is an error at its field, and nothing is sent', async () => {
    const desk = await asked([shaped(c21)])
    await desk.field('n').fill('1.5')
    await desk.form.getByLabel('opt (optional)').fill('three')
    await desk.send()
    await expect(desk.errors).toHaveText(['Must be a whole number.', 'Must be a number.'])
    await expect(desk.field('n')).toBeFocused()
    await desk.field('n').fill('2')
    await expect(desk.errors).toHaveText(['Must be a number.'])
    expect((await desk.helper.run(desk.run)).status).toBe('waiting')
    expect(desk.model.calls).toBe(1)
  })
})

describe('C27: every kind of field', () => {
  test('C27: typed values, nested editing, and formats that the server judges', async () => {
    const desk = await asked([shaped(c27)])
    const group = (name: string) => desk.form.getByRole('group', { name, exact: true })
    await desk.form.getByRole('radiogroup', { name: 'Size' }).getByLabel('M').check()
    await desk.form.getByRole('radiogroup', { name: 'Rank' }).getByLabel('rank 1').check()
    await expect(desk.field('Land')).toHaveValue('2')
    await group('Extras').getByLabel('box').check()
    await group('Extras').getByLabel('gift').check()
    await expect(group('Who').getByLabel('name')).toHaveValue('Ann')
    await group('Home').getByLabel('city').fill('Bern')
    await desk.field('mail').fill('ann at example')
    await desk.field('day').fill('2026-02-28')
    // The person sits in Berlin.
    await desk.field('at').fill('2026-01-31T13:00')
    await desk.field('link').fill('https://example.com/x')
    await desk.click('Add to Guests')
    await expect(desk.field('Guest 1')).toBeFocused()
    await desk.page.keyboard.type('Bob')
    await desk.click('Add to Guests')
    await desk.page.keyboard.type('Cy')
    await desk.click('Remove Guest 1')
    await expect(desk.form.getByRole('button', { name: 'Add to Guests' })).toBeFocused()
    await desk.send()

    await expect(desk.errors).toHaveText('Must be an email address.')
    await expect(desk.field('mail')).toBeFocused()
    await desk.field('mail').fill('ann@example.com')
    await desk.send()
    const { heard } = await desk.end()
    expect(heard).toEqual([
      {
        size: 'M',
        rank: 1,
        land: 'CH',
        extras: ['gift', 'box'],
        who: { name: 'Ann', home: { city: 'Bern' } },
        mail: 'ann@example.com',
        day: '2026-02-28',
        at: '2026-01-31T12:00:00Z',
        link: 'https://example.com/x',
        guests: ['Cy'],
      },
    ])
  })

  test('C27: what the server finds stands at its field, the deepest ones too', async () => {
    const desk = await asked([
      shaped({
        type: 'object',
        properties: {
          list: {
            type: 'array',
            items: { type: 'object', properties: { n: { type: 'integer', maximum: 5 } }, required: ['n'] },
            minItems: 2,
          },
          extras: { type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 },
        },
        required: ['list', 'extras'],
      }),
    ])
    await desk.form.getByLabel('n', { exact: true }).nth(0).fill('5')
    await desk.form.getByLabel('n', { exact: true }).nth(1).fill('6')
    await desk.send()
    await expect(desk.errors).toHaveText(['Must be at most 5.', 'Must have at least 1 item.'])
    await expect(desk.form.getByLabel('n', { exact: true }).nth(1)).toBeFocused()
    await desk.page.keyboard.press('Backspace')
    await desk.page.keyboard.type('4')
    await expect(desk.errors).toHaveText(['Must have at least 1 item.'])
    await desk.field('a').check()
    await expect(desk.alert).toHaveCount(0)
    await desk.send()
    expect(await desk.end()).toMatchObject({ heard: [{ list: [{ n: 5 }, { n: 4 }], extras: ['a'] }] })
  })

  test('a date of which only a part is typed is not left out in silence', async () => {
    const desk = await bench([
      {
        input: {
          question: 'When?',
          shape: { type: 'object', properties: { day: { type: 'string', format: 'date' } } },
        },
      },
    ])
    await desk.form.getByLabel('day (optional)').focus()
    await desk.page.keyboard.type('31')
    await desk.send()
    await expect(desk.errors).toHaveText('This is not complete.')
    expect(await desk.sent()).toEqual([])
  })

  test('one of several forms, and null by leaving a field blank', async () => {
    const desk = await asked([
      shaped({
        type: 'object',
        properties: {
          note: { type: ['string', 'null'] },
          delivery: {
            title: 'Delivery',
            oneOf: [
              {
                type: 'object',
                properties: { by: { const: 'post' }, street: { type: 'string' } },
                required: ['by', 'street'],
              },
              { type: 'object', properties: { by: { const: 'pickup' } }, required: ['by'] },
            ],
          },
        },
        required: ['note', 'delivery'],
      }),
    ])
    await desk.send()
    await expect(desk.errors).toHaveText('An answer is needed here.')
    await desk.field('Choose one').selectOption('pickup')
    await desk.field('Choose one').selectOption('post')
    await desk.field('street').fill('High St 1')
    await desk.send()
    expect(await desk.end()).toMatchObject({ heard: [{ note: null, delivery: { by: 'post', street: 'High St 1' } }] })
  })

  const values: [Json, Json, (desk: Awaited<ReturnType<typeof asked>>) => Promise<void>][] = [
    [{ type: 'string' }, '', (desk) => writeJson(desk, '""')],
    [{ type: ['string', 'null'] }, null, (desk) => writeJson(desk, 'null')],
    [{ type: ['string', 'null'] }, null, async () => undefined],
    [{ type: 'array', items: { type: 'string' } }, [], async () => undefined],
    [{ type: 'array' }, [], ({ field }) => field('Your answer').fill('[]')],
    [{ type: 'integer' }, 0, ({ field }) => field('Your answer').fill('0')],
    [{ type: 'boolean' }, false, ({ field }) => field('no').check()],
  ]
  for (const [shape, value, act] of values) {
    test(`C20: ${JSON.stringify(shape)} is answered with ${JSON.stringify(value)}`, async () => {
      const desk = await asked([shaped(shape)])
      await act(desk)
      await desk.send()
      expect((await desk.end()).heard).toEqual([value])
    })
  }

  test('from the form to JSON and back, and what the form cannot show stays JSON', async () => {
    const desk = await bench([{ input: { question: 'Q', shape: c21 } }])
    await desk.field('n').fill('3')
    await desk.click('Write it as JSON')
    await expect(desk.field('Your answer')).toHaveValue('{\n  "a": true,\n  "n": 3\n}')
    await desk.field('Your answer').fill('{"a": false, "n": 4, "opt": 0.5}')
    await desk.click('Back to the form')
    await expect(desk.form.getByLabel('opt (optional)')).toHaveValue('0.5')
    await desk.click('Write it as JSON')
    await desk.field('Your answer').fill('{"more": 1}')
    await desk.click('Back to the form')
    await expect(desk.alert).toHaveText('This cannot be shown in the form.')
    await desk.send()
    expect(await desk.sent()).toEqual([{ data: { more: 1 } }])
  })
})

describe('a stranger’s shape', () => {
  const properties = (count: number, of: (at: number) => Json) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, of(at)]))
  const deep = (depth: number): Json =>
    depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(depth - 1) } }

  test('C27: however large, it is drawn at once or answered as JSON', async () => {
    const shapes: [Json, 'drawn' | 'JSON'][] = [
      [{ type: 'object', properties: properties(200, (at) => ({ type: 'string', title: `field ${at}` })) }, 'drawn'],
      [
        {
          type: 'object',
          properties: properties(40, () => ({ enum: Array.from({ length: 25 }, (_, at) => `v${at}`) })),
        },
        'drawn',
      ],
      [{ type: 'object', properties: properties(2_000, () => ({ type: 'string' })) }, 'JSON'],
      [{ enum: Array.from({ length: 5_000 }, (_, at) => at) }, 'JSON'],
      [{ type: 'array', items: { type: 'string' }, minItems: 1e8 }, 'drawn'],
      [deep(500), 'JSON'],
      [{ type: 'object', properties: { a: {} }, patternProperties: { '^(a+)+$': {} } }, 'JSON'],
      [{ anyOf: Array.from({ length: 5_000 }, () => ({ type: 'object', properties: { a: {} } })) }, 'JSON'],
    ]
    const desk = await bench(shapes.map(([shape], at) => ({ id: `ask_${at}`, input: { question: 'Q', shape } })))
    for (const [at, [, how]] of shapes.entries()) {
      await desk.page.getByRole('button', { name: `Ask ${at + 1}`, exact: true }).click()
      await expect(desk.form.locator('.querent-json').first()).toBeVisible({ visible: how === 'JSON' })
      expect(await desk.form.locator('*').count()).toBeLessThan(5_000)
    }
  })

  test('2,000 options of a stranger drop down', async () => {
    const options = Array.from({ length: 2_000 }, (_, at) => ({ label: `option ${at}` }))
    const desk = await bench([{ kind: 'pick', options }])
    await desk.field('Choose one').selectOption('option 1234')
    await desk.send()
    expect(await desk.sent()).toEqual([{ data: 'option 1234' }])
  })

  test('a default with characters that cannot be seen is told', async () => {
    const shape = { type: 'string', default: 'pay\u202Etxt.exe' }
    const desk = await bench([{ input: { question: 'Q', shape } }])
    await expect(desk.field('Your answer')).toHaveAccessibleDescription(/pay‹U\+202E›txt\.exe/)
    await expectAccessible(desk)
  })
})
