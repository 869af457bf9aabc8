import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packCopy } from '../../scripts/pack-copy.ts'

const folder = mkdtempSync(join(tmpdir(), 'eject-'))
const app = join(folder, 'app')

beforeAll(() => {
  const tarball = packCopy('.', folder)
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  execFileSync('npm', ['install', tarball, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: app,
  })
  // The runner that runs this, so that none is fetched.
  symlinkSync(resolve('node_modules/vitest'), join(app, 'node_modules/vitest'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]): { code: number | null; said: string } {
  const env = { ...process.env, NO_COLOR: '1', NODE_OPTIONS: undefined, VITEST: undefined }
  const done = spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8', env })
  return { code: done.status, said: `${done.stdout}${done.stderr}` }
}

const querent = (...args: string[]) => run('node_modules/querent/bin/querent.js', ...args)

describe('querent eject, from the packed tarball in an empty folder', () => {
  it.each(['question', 'ask'])('copies the extension %s and its tests, and says how to install it', (name) => {
    const { code, said } = querent('eject', name)
    expect(code, said).toBe(0)
    const sources = globSync(`src/extensions/${name}/*`)
    expect(sources.length).toBeGreaterThan(1)
    for (const source of sources) {
      const copy = join(app, source.slice('src/'.length))
      expect(readFileSync(copy, 'utf8')).toBe(readFileSync(source, 'utf8'))
    }
    expect(said).toContain(`from './extensions/${name}/${name}.ts'`)
    expect(said).toMatch(name === 'question' ? /extensions: \[questions\(\)\]/ : /extensions: \[ask\(\)\]/)
  })

  it('overwrites nothing, and knows no other', () => {
    const file = join(app, 'extensions/ask/ask.ts')
    const mine = `${readFileSync(file, 'utf8')}// mine\n`
    writeFileSync(file, mine)
    expect(querent('eject', 'ask')).toEqual({
      code: 2,
      said: 'error: extensions/ask is there already, and nothing was changed. Move it away first.\n',
    })
    expect(readFileSync(file, 'utf8')).toBe(mine)
    expect(querent('eject', 'approval')).toMatchObject({ code: 2, said: expect.stringContaining('question, ask') })
  })
})

describe('the ejected copies', () => {
  it('pass their tests against the installed package', () => {
    const { code, said } = run('node_modules/vitest/vitest.mjs', 'run', '--root', app)
    const files = globSync('src/extensions/{question,ask}/*.test.ts').length
    expect(said).toMatch(new RegExp(`Test Files +${files} passed \\(${files}\\)`))
    expect(code, said).toBe(0)
  })

  it('type-check against the installed package', () => {
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true, skipLibCheck: true },
      ...{ allowImportingTsExtensions: true, typeRoots: [resolve('node_modules/@types')], types: ['node'] },
    }
    writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['extensions', '*.ts'] }))
    for (const [file, text] of Object.entries(programs)) writeFileSync(join(app, file), text)
    expect(run(resolve('node_modules/typescript/bin/tsc'), '-p', app)).toEqual({ code: 0, said: '' })
  })

  it('ask, park, are answered in another process and go on, changed as their owner likes', () => {
    const file = join(app, 'extensions/question/question.ts')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('Ask the person one question', 'Ask the captain one question'),
    )
    for (const [name, text] of Object.entries(programs)) writeFileSync(join(app, name), text)
    const asked = run('ask.ts')
    expect(asked.code, asked.said).toBe(0)
    expect(asked.said).toContain('question 1.1 question Which size?\nquestion 1.2 ask Which colours?\n')
    const answered = run('answer.ts')
    expect(answered.code, answered.said).toBe(0)
    expect(answered.said).toContain('done Ordered.\n["M",["red","blue"]]\nAsk the captain one question')
  })
})

const agents = `import { agent, createEngine } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'
import { ask } from './extensions/ask/ask.ts'
import { questions } from './extensions/question/question.ts'

export const model = scriptedModel([
  {
    calls: [
      { tool: 'question', input: { question: 'Which size?', choices: ['S', 'M'] } },
      { tool: 'ask', input: { question: 'Which colours?', options: [{ label: 'red' }, { label: 'blue' }], multi: true } },
    ],
  },
  { text: 'Ordered.' },
])
const shirts = agent('shirts', { model, extensions: [questions(), ask()] })
export const engine = createEngine({ agents: [shirts], store: sqlite('querent.db') })
export const ann = engine.as({ id: 'ann' }).agent('shirts')
await engine.start()
`

const asking = `import { ann, engine } from './agents.ts'

const { run } = await ann.start('T-shirts')
for (const ask of (await ann.atRest(run)).asks) console.log(ask.step, ask.tool, (ask.input as { question: string }).question)
await engine.close()
`

const answering = `import { readAnswer } from 'querent'
import { ann, engine, model } from './agents.ts'

const [run] = await ann.working()
for (const [index, reply] of ['m.', '1 and 2'].entries()) {
  const ask = run!.asks[index]!
  const read = readAnswer(ask, reply)
  if ('data' in read) await ann.approve(ask, read)
}
const view = await ann.atRest(run!.run)
console.log(view.status, view.text)
const { messages, tools } = model.prompts.at(-1)!
const results = messages.at(-1)!.content as { output: { value: unknown } }[]
console.log(JSON.stringify(results.map(({ output }) => output.value)))
console.log(tools.find(({ name }) => name === 'question')!.description)
await engine.close()
`

const programs = { 'agents.ts': agents, 'ask.ts': asking, 'answer.ts': answering }
