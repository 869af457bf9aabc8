import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { Workplace } from './workplace.ts'

const example = (file: string) => fileURLToPath(new URL(`../../examples/01-minimal/${file}`, import.meta.url))

it('01-minimal asks and is answered, from the terminal', async () => {
  const place = new Workplace()
  const config = ['--config', example('querent.config.ts')]
  const parked = await place.querent(['run', 'asker', 'I need a T-shirt', ...config])
  expect(parked.code).toBe(75)
  const run = /run_\w+/.exec(parked.stdout)?.[0] ?? ''
  const answered = await place.querent(['answer', run, '--choose', 'M', ...config])
  expect(answered).toEqual({ code: 0, stdout: 'question 1.1  answered: "M"\nOrdered.\n', stderr: '' })
})

it('01-minimal asks and is answered, from code', async () => {
  const ended = await new Workplace().node([example('main.ts')])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^waiting question 1\.1 \[.*\]\ndone Ordered\.\n$/)
})
