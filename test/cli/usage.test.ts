import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Workplace } from './workplace.ts'

describe('wrong usage ends with 2, says what to do, and changes nothing', () => {
  it.each([
    [['rnu', 'asker'], /unknown command 'rnu'\n\(Did you mean run.*\?\)/],
    [['runs', '--stauts', 'done'], /unknown option '--stauts'\n\(Did you mean --status\?\)/],
    [['runs', '--status', 'parked'], /Allowed choices are ready, working, waiting, done, failed, stopped/],
    [['run'], /missing required argument 'agent'/],
    [
      ['run', 'nobody', 'hi'],
      /no agent "nobody" in the config. Agents: asker, worker, mailer, broken, boss, hurried, chief, clumsy, editor, hasty/,
    ],
    [['run', 'asker'], /There is no input/],
    [['answer', 'run_1', '--data', '{bad'], /--data is not JSON: \{bad\. A text is written '"text"'/],
    [['answer', 'run_1', '--data', '1', '--choose', 'S'], /Give one answer/],
    [['answer', 'run_1', '--repeat', '0', '--text', 'x'], /whole number above 0/],
    [['answer', 'run_1', 'extra', '--text', 'x'], /too many arguments/],
    [['asks', '--database', 'nothing.db'], /There is no database .*nothing\.db/],
    [['asks', '--database', 'a.db', '--config', 'querent.config.mjs'], /There is no database .*a\.db/],
    [['worker', '--database', 'a.db'], /There is no database .*a\.db/],
    [['asks', '--config', 'nothing.ts'], /There is no config file .*nothing\.ts/],
    [[], /Usage: querent/],
  ])('querent %j', async (args, message) => {
    const place = new Workplace()
    const ended = await place.querent(args)
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).not.toMatch(/\n +at /)
    expect(readdirSync(place.folder)).toEqual(['querent.config.mjs'])
  })

  it('a config without agents or store', async () => {
    const place = new Workplace()
    writeFileSync(join(place.folder, 'wrong.ts'), 'export default { agents: [] }')
    const ended = await place.querent(['runs', '--config', 'wrong.ts'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain('has no config as its default export. Write: export default defineConfig(')
  })
})

it('a config that is a module in a CommonJS folder is named, and found as .mts', async () => {
  const place = new Workplace()
  place.write('package.json', '{ "type": "commonjs" }')
  const text = readFileSync(join(place.folder, 'querent.config.mjs'), 'utf8')
  rmSync(join(place.folder, 'querent.config.mjs'))
  place.write('querent.config.ts', `import 'node:fs'\n${text}`)
  const ended = await place.querent(['runs'])
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(/querent\.config\.ts is a module.*`npm pkg set type=module`.*querent\.config\.mts/)
  renameSync(join(place.folder, 'querent.config.ts'), join(place.folder, 'querent.config.mts'))
  expect(await place.querent(['runs'])).toMatchObject({ code: 0, stderr: '' })
})

it('--version prints the version of the package', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const ended = await new Workplace().querent(['--version'])
  expect(ended).toEqual({ code: 0, stdout: `${JSON.parse(text).version}\n`, stderr: '' })
})

it('help is no error, and lists what there is', async () => {
  const ended = await new Workplace().querent(['--help'])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const commands = [...ended.stdout.matchAll(/^ {2}(\w+) (?=\S)/gm)].map(([, name]) => name)
  expect(commands).toEqual([
    'demo',
    'run',
    'serve',
    'worker',
    'migrate',
    'answer',
    'refuse',
    'asks',
    'runs',
    'show',
    'doctor',
    'eject',
    'help',
  ])
})

it('an error is one JSON value with --json', async () => {
  const place = new Workplace()
  const { run } = await place.park([{ question: 'Age?', shape: { type: 'integer' } }])
  const ended = await place.querent(['answer', run, '--data', '"x"', '--json'])
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(JSON.parse(ended.stderr)).toMatchObject({ code: 'T0002', status: 422, issues: [{ path: '' }] })
})

it('lists go page by page', async () => {
  const place = new Workplace()
  const first = await place.park([{ question: 'One?' }])
  const second = await place.park([{ question: 'Two?' }])
  const page = JSON.parse((await place.querent(['runs', '--limit', '1', '--json'])).stdout)
  expect(page.items).toMatchObject([{ run: second.run }])
  const { stdout } = await place.querent(['runs', '--limit', '1', '--after', page.cursor])
  expect(stdout).toMatch(new RegExp(`^${first.run}  waiting  .* asker .*waits at question 1.1\n$`))
})

it('doctor says which open asks the config as it is now could not resume', async () => {
  const place = new Workplace()
  const { run } = await place.park([{ question: 'One?' }])
  expect(await place.querent(['doctor'])).toMatchObject({ code: 0, stderr: '' })
  const found = await place.querent(['doctor', '--database', 'querent.db'])
  expect(found.code).toBe(1)
  expect(found.stdout).toContain(run)
})
