import { describe } from 'vitest'
import { ask } from '../engine/world.ts'
import { expect, test } from './browser.ts'
import { office, on, pathOf, player } from './inbox-desk.ts'

describe('more than the page is told of', () => {
  test('the 201st that waits is no less open: a link to it leads to its form', async () => {
    const { open, rested, helper, engine } = await office(
      player([{ calls: [ask({ question: 'Size?', choices: ['S', 'M'] })] }, { text: 'Ordered.' }]).agents,
    )
    for (let n = 0; n < 200; n++) await helper().start(`run ${n}`)
    const last = await rested('the last')
    const { items } = await engine.as({ id: 'ann' }).askPage({ limit: 200 })
    expect(items.map(({ run }) => run)).not.toContain(last.run)
    const page = await open(pathOf(last))
    await page.getByRole('radio', { name: 'M' }).check()
    await on(page).button('Send answer').click()
    await expect(on(page).card).toContainText('You answered')
  })

  test('older runs, read on demand: new ones push none out of the list', async () => {
    const { open, helper, world: its } = await office(player([{ text: 'Done.' }]).agents)
    const start = async (title: string) => {
      its.clock.advance(1)
      const { run } = await helper().start(title)
      await helper().atRest(run)
    }
    for (let n = 0; n < 60; n++) await start(`run ${n}`)
    const page = await open('/runs')
    await expect(on(page).rows).toHaveCount(50)
    await on(page).button('Show older').click()
    await expect(on(page).rows).toHaveCount(60)
    for (let n = 60; n < 63; n++) await start(`run ${n}`)
    await expect(on(page).rows.first()).toContainText('run 62')
    await expect(on(page).rows).toHaveCount(63)
    await expect(on(page).rows.nth(51)).toContainText('run 11')
  })
})
