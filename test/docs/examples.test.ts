import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Workplace } from '../cli/workplace.ts'

const folder = join(import.meta.dirname, '../../examples')

/** What each example prints: the line that shows its point. */
const prints: Record<string, RegExp> = {
  '02-approval.ts': /^approval tool 1\.1 pay .*\nDone\.\n.*The person changed the input .*45/,
  '03-shape.ts': /^\/street .+\n\/zip .+\nOn its way\.\n$/,
  '04-ask-inside-a-tool.ts': /^tool 1\.1\nBooked\. reserved 1 time\n$/,
  '05-delegation.ts': /^boss → clerk tool 1\.1\/tool 1\.1\nDone\.\n$/,
  '06-answer-as-message.ts': /^Ordered\.\n.*Size\?.*M.*Colour\?.*blue.*\n$/,
  '09-own-extension.ts': /^rating question 1\.1\nThank you\.\n$/,
  '10-own-store.ts': /^\d+ cases hold: true\n$/,
  '11-hono.ts': /^question 1\.1 S M L\nOrdered\.\n$/,
  '12-node-http.ts': /^201 data: \{.*"text":"We open at nine\."\}\n$/,
}

test.each(Object.keys(prints))('%s runs, and prints what it says', async (file) => {
  const { code, stdout, stderr } = await new Workplace().node([join(folder, file)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(prints[file] as RegExp)
})

test('every example is run by a test', () => {
  // These have tests of their own.
  const elsewhere = ['01-minimal', '07-own-driver.ts', '08-openai-agents.ts', '13-react']
  const files = readdirSync(folder).filter((name) => /^\d\d-/.test(name))
  expect(files.filter((name) => !(name in prints) && !elsewhere.includes(name))).toEqual([])
})
