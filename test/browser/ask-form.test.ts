import { code } from 'querent'
import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { asked, bench, expectAccessible } from './ask-form-desk.ts'
import { expect, test } from './browser.ts'

const choices = { question: 'Which size?', choices: ['S', { label: 'M', description: 'fits most' }, 'L'] }

describe('a question', () => {
  test('free text is sent as typed, and the model hears it', async () => {
    const desk = await asked([{ calls: [ask('Name?')] }])
    await expect(desk.form).toContainText('Name?')
    await desk.field('Your answer').fill('  Ann\nB. ')
    await desk.send()
    await expect(desk.status).toHaveText('Your answer was sent.')
    expect(await desk.end()).toMatchObject({ heard: ['  Ann\nB. '], view: { status: 'done' } })
  })

  test('C40: nothing is chosen at first, and Enter on an empty required text sends nothing', async () => {
    const desk = await asked([{ calls: [ask(choices), ask('Name?')] }])
    await desk.send()
    await expect(desk.errors).toHaveText('An answer is needed here.')
    await expect(desk.page.locator('input:focus')).toHaveCount(1)
    await desk.page.getByRole('button', { name: 'Ask 2' }).click()
    await desk.field('Your answer').fill(' ')
    await desk.field('Your answer').press('Control+Enter')
    await expect(desk.errors).toHaveText('An answer is needed here.')
    await expect(desk.field('Your answer')).toBeFocused()
    expect(desk.model.calls).toBe(1)
    expect((await desk.helper.run(desk.run)).asks).toHaveLength(2)
  })

  test('one of its choices, by the keyboard alone', async () => {
    const desk = await asked([{ calls: [ask(choices)] }], { flags: ['focus'] })
    await expect(desk.field('S')).toBeFocused()
    await expect(desk.form.getByRole('radiogroup')).toHaveAccessibleName('Choose one')
    await expect(desk.form.getByRole('radiogroup')).toHaveAccessibleDescription(/Which size\?/)
    await expect(desk.field('M')).toHaveAccessibleDescription('fits most')
    await desk.page.keyboard.press('ArrowDown')
    await desk.page.keyboard.press('Enter')
    expect(await desk.end()).toMatchObject({ heard: ['M'] })
  })

  test('several of its choices and a text of one’s own', async () => {
    const desk = await asked([{ calls: [ask({ ...choices, multi: true, other: true })] }])
    await desk.field('L').check()
    await desk.field('S').check()
    await desk.field('Something else …').check()
    await desk.send()
    await expect(desk.errors).toHaveText('An answer is needed here.')
    await expect(desk.field('Your own answer')).toBeFocused()
    await desk.page.keyboard.type('XXL')
    await expect(desk.errors).toHaveCount(0)
    await desk.send()
    expect(await desk.end()).toMatchObject({ heard: [{ selected: ['S', 'L'], other: 'XXL' }] })
  })

  test('a text of one’s own instead of its choices', async () => {
    const desk = await asked([{ calls: [ask({ ...choices, other: true })] }])
    await desk.field('Something else …').check()
    await desk.field('Your own answer').fill('none of them')
    await desk.field('M').check()
    await desk.field('Something else …').check()
    await expect(desk.field('Your own answer')).toHaveValue('none of them')
    await desk.send()
    expect(await desk.end()).toMatchObject({ heard: [{ selected: [], other: 'none of them' }] })
  })

  test('refusing needs no answer, and its reason may be left blank', async () => {
    const desk = await asked([{ calls: [ask(choices), ask('Name?')] }])
    await desk.click('Refuse …')
    await expect(desk.field('Why? (may be left blank)')).toBeFocused()
    await desk.click('Back')
    await expect(desk.form.getByRole('button', { name: 'Refuse …' })).toBeFocused()
    await desk.page.keyboard.press('Enter')
    await desk.field('Why? (may be left blank)').fill('not now')
    await desk.click('Refuse')
    await expect(desk.status).toHaveText('You refused this.')
    await desk.page.getByRole('button', { name: 'Ask 2' }).click()
    await desk.click('Refuse …')
    await desk.click('Refuse')
    await expect(desk.status).toHaveText('You refused this.')
    const { heard } = await desk.end()
    expect(heard).toEqual([
      expect.stringMatching(/refused[\s\S]*not now/),
      expect.stringMatching(/^The person refused this\.$/),
    ])
  })

  test('C45: the Enter that ends a composition sends nothing', async () => {
    const desk = await bench([{ input: { question: 'Q', shape: { type: 'string' } } }])
    const input = desk.field('Your answer')
    await input.fill('にほん')
    for (const [isComposing, keyCode] of [
      [true, 13],
      [false, 229],
    ] as const) {
      const prevented = await input.evaluate(
        (target, init) =>
          !target.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init }),
          ),
        { isComposing, keyCode },
      )
      expect(prevented).toBe(true)
    }
    expect(await desk.sent()).toEqual([])
    await input.press('Enter')
    expect(await desk.sent()).toEqual([{ data: 'にほん' }])
  })
})

describe('an approval', () => {
  const mail = { to: 'bob@example.com', body: 'Hello,\n\nall is well.', copies: 2 }
  const approval = { kind: 'approval', tool: 'send_mail', input: mail }

  test('C45: nothing is preselected: neither Enter nor a key typed ahead approves', async () => {
    const desk = await bench([{ ...approval, editable: true as const }], { flags: ['focus'] })
    await expect(desk.form.locator('.querent-call')).toBeFocused()
    await desk.page.keyboard.press('Enter')
    await desk.page.keyboard.press('Control+Enter')
    await desk.click('Change the input …')
    await desk.field('to').press('Enter')
    await desk.field('to').press('Control+Enter')
    expect(await desk.sent()).toEqual([])
    await desk.click('Approve with this input')
    // Not changed after all: it is approved as it is.
    expect(await desk.sent()).toEqual([{}])
  })

  test('its input is shown as it will run', async () => {
    const desk = await bench([{ ...approval, input: { ...mail, code: '007', blank: '', deep: { a: [true, null] } } }])
    await expect(desk.form.locator('.querent-tool')).toHaveText('send_mail wants to run with')
    await expect(desk.form.locator('dd')).toHaveText([
      'bob@example.com',
      'Hello,\n\nall is well.',
      '2',
      '007',
      '""',
      '{\n  "a": [\n    true,\n    null\n  ]\n}',
    ])
    await desk.form.locator('summary').click()
    await expect(desk.form.locator('details pre')).toContainText('"code": "007"')
  })

  test('the input is changed in a form made of it, and only the change is sent', async () => {
    const desk = await bench([{ ...approval, input: { ...mail, urgent: false, tags: ['a'] }, editable: true as const }])
    await desk.click('Change the input …')
    await desk.field('to').fill('')
    await desk.field('copies').fill('x')
    await desk.click('Approve with this input')
    await expect(desk.errors).toHaveText('Must be a number.')
    await desk.field('copies').fill('3')
    await desk.form.getByRole('radiogroup', { name: 'urgent' }).getByLabel('yes').check()
    await desk.field('tags').fill('[]')
    await desk.click('Approve with this input')
    expect(await desk.sent()).toEqual([{ data: { input: { ...mail, to: '', copies: 3, urgent: true, tags: [] } } }])
    await desk.settle({ code: code.T0002, data: { issues: [{ path: '/input/to', message: 'must not be empty' }] } })
    await expect(desk.errors).toHaveText('Must not be empty.')
    await expect(desk.field('to')).toBeFocused()
    await desk.click('Leave the input as it was')
    await desk.click('Approve')
    expect((await desk.sent()).at(-1)).toEqual({})
  })

  test('one that may not be edited offers nothing to edit', async () => {
    const desk = await bench([approval])
    await expect(desk.form.getByRole('button')).toHaveText(['Approve', 'Refuse …'])
    await expectAccessible(desk)
  })
})

describe('what a stranger’s extension asks', () => {
  test('its options, its input as it is, and JSON', async () => {
    const desk = await bench([
      { kind: 'vote', tool: 'vote', input: { motion: 'A\u202Eb' }, options: [{ label: 'aye' }, { label: 'nay' }] },
      { kind: 'sketch', tool: 'draw', input: { question: 'Where?' } },
    ])
    await expect(desk.form.locator('.querent-question')).toHaveText('{\n  "motion": "A‹U+202E›b"\n}')
    await desk.field('nay').check()
    await desk.send()
    await desk.page.getByRole('button', { name: 'Ask 2' }).click()
    await desk.field('Your answer').fill('{x: 1}')
    await desk.send()
    await expect(desk.errors).toContainText('Must be JSON')
    await desk.field('Your answer').fill('{"x": 1}')
    await desk.field('Your answer').press('Control+Enter')
    expect(await desk.sent()).toEqual([{ data: 'nay' }, { data: { x: 1 } }])
  })
})
