import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Workplace } from '../cli/workplace.ts'
import { type ResponsesReply, start } from '../providers/servers/responses.ts'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The code blocks of a page in one language, in order. */
function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1] ?? '')
}

test('README: the two commands are those that the pipeline calls', () => {
  const pipeline = readFileSync(join(root, '.ci/run'), 'utf8')
  for (const command of ['npm ci', 'npm run demo', 'npm test']) {
    expect(readme).toContain(command)
    expect(pipeline).toContain(command)
  }
})

test('README: its lines of React stand in the example that a browser runs', () => {
  const example = readFileSync(join(root, 'examples/13-react/page.tsx'), 'utf8')
  const lines = blocks(readme, 'tsx').flatMap((block) => block.trim().split('\n'))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(example).toContain(line)
})

test('README: its agent runs as written, against a server that speaks the provider’s protocol', async () => {
  const [config = '', fromCode = ''] = blocks(readme, 'ts')
  const server = await start()
  try {
    const place = new Workplace()
    place.install('querent', 'ai', '@ai-sdk')
    place.write('querent.config.ts', config)
    const main = place.write('main.ts', fromCode)
    const call = (n: number, name: string, input: object): ResponsesReply => ({
      items: [{ type: 'call', id: `fc_${n}`, callId: `call_${n}`, name, arguments: JSON.stringify(input) }],
    })
    server.script(
      call(1, 'question', { question: 'Which size?', choices: ['S', 'M', 'L'] }),
      call(2, 'order', { size: 'M' }),
      { items: [{ type: 'text', id: 'msg_3', text: 'One T-shirt in M is ordered.' }] },
    )
    const env = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: server.url }
    const ended = await place.node([main], { env })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain("question 1.1 { question: 'Which size?', choices: [ 'S', 'M', 'L' ] }")
    expect(ended.stdout).toContain('One T-shirt in M is ordered.')
  } finally {
    await server.close()
  }
})

test('docs/own-store.md: its example holds every case of the kit', async () => {
  const page = readFileSync(join(root, 'docs/own-store.md'), 'utf8')
  const place = new Workplace()
  place.install('querent')
  const ended = await place.node([place.write('kit.ts', blocks(page, 'ts run')[0] ?? '')])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^\d{3} cases hold\n$/)
})

test('docs/terminal.md: its config is one that the command line works with', async () => {
  const [config = ''] = blocks(readFileSync(join(root, 'docs/terminal.md'), 'utf8'), 'ts')
  const place = new Workplace()
  place.install('querent')
  place.write('querent.config.ts', config)
  place.write(
    'agents.ts',
    `import { agent } from 'querent'
import { scriptedModel } from 'querent/testing'
export const asker = agent('asker', { model: scriptedModel([{ text: 'Hello.' }]) })`,
  )
  const ended = await place.querent(['run', 'asker', 'hi', '--config', 'querent.config.ts'])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toContain('Hello.')
})

test('docs/notifiers.md: its engine starts with both notifiers', async () => {
  const [example = ''] = blocks(readFileSync(join(root, 'docs/notifiers.md'), 'utf8'), 'ts')
  const place = new Workplace()
  place.install('querent')
  const setup = `import { sqlite } from 'querent/sqlite'
const agents = []
const store = sqlite('querent.db')
process.env.WEBHOOK_SECRET = 'whsec_${Buffer.alloc(32, 1).toString('base64')}'
`
  const file = place.write('main.ts', `${setup}${example}\nawait engine.close()\nconsole.log('closed')\n`)
  expect(await place.node([file])).toEqual({ code: 0, stdout: 'closed\n', stderr: '' })
})

test('README: the figures of its table are those of the run that it links to', () => {
  const [, file = ''] = readme.match(/\]\((bench\/results\/[\w-]+\.md)\)/) ?? []
  const measured = readFileSync(join(root, file), 'utf8').split('\n')
  const table = readme
    .slice(readme.indexOf('## Measured'))
    .split('\n')
    .filter((line) => /^\| .*(fsync|process) \|/.test(line))
  expect(table).toHaveLength(10)
  for (const line of table) {
    const [, p50 = '', byLimit = '', perSecond = ''] = line.match(/\| ([\d.]+) ms \| ([\d.–]+) \| ([\d.,]+)\/s/) ?? []
    const isThere = (cells: string) => [`| ${p50} |`, `| ${perSecond} |`].every((cell) => cells.includes(cell))
    expect(measured.filter(isThere), line).toHaveLength(1)
    expect(measured.find(isThere), line).toMatch(new RegExp(`\\| ${byLimit}`))
  }
})
