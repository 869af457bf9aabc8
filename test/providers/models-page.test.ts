import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/models.md'), 'utf8')
const [agentBlock = '', filesBlock = '', ownModelBlock = ''] = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(
  ([, code]) => code ?? '',
)

/** Runs a block of the page with something behind it, in a process of its own, as the package's user would. */
async function run(block: string, rest: string, ...args: string[]): Promise<unknown> {
  const options = ['--conditions=querent-source', '--input-type=module-typescript', '--eval', `${block}\n${rest}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '--', ...args], { cwd: root })
  return JSON.parse(stdout)
}

test('its agent can be made', async () => {
  const made = await run(
    agentBlock,
    'console.log(JSON.stringify([shirts.name, shirts.limits, shirts.output?.json.type]))',
  )
  expect(made).toEqual(['shirts', expect.objectContaining({ tokensOut: 50_000 }), 'object'])
})

test('a model of one’s own, in at most 15 lines, runs and takes the files of the page for what they are', async () => {
  const model = /^const parrot[\s\S]*?^\}$/m.exec(ownModelBlock)?.[0] ?? ''
  expect(model.split('\n').length).toBeLessThanOrEqual(15)
  expect(model).not.toBe('')
  const folder = mkdtempSync(join(tmpdir(), 'querent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rest = `
    const { createEngine } = await import('querent')
    const { sqlite } = await import('querent/sqlite')
    const quiet = { info() {}, warn() {}, error() {} }
    const engine = createEngine({ agents: [bird], store: sqlite(process.argv.at(-1)), logger: quiet })
    await engine.start()
    const ann = engine.as({ id: 'ann' }).agent('bird')
    const { run } = await ann.start('Hello')
    const done = await ann.atRest(run)
    await ann.say({ run, text: input })
    const failed = await ann.atRest(run)
    await engine.close()
    console.log(JSON.stringify([done.text, done.status, failed.status, failed.error.message]))
  `
  expect(await run(`${filesBlock}\n${ownModelBlock}`, rest, join(folder, 'querent.db'))).toEqual([
    'Hello',
    'done',
    'failed',
    'The model failed: A parrot repeats nothing but text.',
  ])
})
