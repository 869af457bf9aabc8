import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { kill, printed, Workplace } from '../cli/workplace.ts'

const exampleOf = (name: string) => join(import.meta.dirname, '../../examples', name)
const hold = fileURLToPath(new URL('hold.ts', import.meta.url))

/** What each example prints, a process for each answer. */
const conversations = [
  {
    name: '07-own-driver.ts',
    agent: 'clerk',
    says: [
      [[], 'Who is it for?\n'],
      [['Bob'], 'For how many days?\n'],
      [['3'], 'Filed: 3 days for Bob.\n'],
    ],
    effects: ['permits.txt', '3 days for Bob'],
  },
  {
    name: '08-openai-agents.ts',
    agent: 'seller',
    says: [
      [[], 'Which size? S, M or L?\n'],
      [['M'], 'May I? order {"size":"M"}\n'],
      [['yes'], 'Ordered.\n'],
    ],
    effects: ['orders.txt', 'M'],
  },
] as const

test.each(conversations)('$name: each answer in a process of its own', async ({ name, says }) => {
  const place = new Workplace()
  for (const [args, stdout] of says) {
    const env = { OPENAI_API_KEY: undefined }
    expect(await place.node([exampleOf(name), ...args], { env })).toEqual({ code: 0, stdout, stderr: '' })
  }
})

test.each(conversations)('$name: killed while parked, before each answer', async ({ name, agent, says, effects }) => {
  const place = new Workplace()
  for (const [args] of says.slice(1)) {
    const child = place.spawn([process.execPath, '--conditions=querent-source', hold, exampleOf(name), agent])
    const [line] = await printed(child, /^.*\n/)
    expect(JSON.parse(line)).toMatchObject({ status: 'waiting' })
    await kill(child)
    expect(await place.node([exampleOf(name), ...args])).toMatchObject({ code: 0, stderr: '' })
  }
  const [file, done] = effects
  expect(readFileSync(join(place.folder, file), 'utf8')).toBe(`${done}\n`)
})

test('07: an answer that does not fit is refused, and the question still waits', async () => {
  const place = new Workplace()
  const example = exampleOf('07-own-driver.ts')
  await place.node([example, 'Bob'])
  const misfit = await place.node([example, 'soon'])
  expect(misfit).toMatchObject({ code: 0, stderr: '' })
  expect(misfit.stdout).toMatch(/^The answer does not fit, and the ask still waits: .*\nFor how many days\?\n$/)
})
