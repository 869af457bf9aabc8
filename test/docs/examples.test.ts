import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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
  '14-express.ts': /^201 \{"items":\[\{"name":"shirts","description":"Orders T-shirts\."\}\]\}\n$/,
}

test.each(Object.keys(prints))('%s runs, and prints what it says', async (file) => {
  const { code, stdout, stderr } = await new Workplace().node([join(folder, file)])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(prints[file] as RegExp)
})

test('16-next: its route handlers start a run, list it, and stream it', async () => {
  const place = new Workplace()
  const route = pathToFileURL(join(folder, '16-next/app/api/[...path]/route.ts')).href
  const main = place.write(
    'main.mjs',
    `import { GET, POST } from ${JSON.stringify(route)}
    const headers = { 'x-user': 'ann', 'content-type': 'application/json' }
    const ask = (path, init = {}) => new Request('http://localhost' + path, { headers, ...init })
    const body = JSON.stringify({ input: 'go' })
    const { run } = await (await POST(ask('/api/agents/shirts/runs', { method: 'POST', body }))).json()
    for await (const chunk of (await GET(ask(\`/api/runs/\${run}/events?until=rest\`))).body) {
      if (/event: rest/.test(Buffer.from(chunk).toString())) console.log('at rest')
    }
    const { items } = await (await GET(ask('/api/asks'))).json()
    console.log(items.map(({ input }) => input.question).join(), (await GET(new Request('http://localhost/api/asks'))).status)
    await (await globalThis.querent).close()`,
  )
  expect(await place.node([main])).toEqual({ code: 0, stdout: 'at rest\nWhich size? 401\n', stderr: '' })
})

test('every example is run by a test', () => {
  // These have tests of their own.
  const elsewhere = ['01-minimal', '07-own-driver.ts', '08-openai-agents.ts', '13-react', '15-use-chat', '16-next']
  const files = readdirSync(folder).filter((name) => /^\d\d-/.test(name))
  expect(files.filter((name) => !(name in prints) && !elsewhere.includes(name))).toEqual([])
})
