import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { start } from '../providers/servers/chat-completions.ts'
import { Workplace } from './workplace.ts'

const keys = { OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined }

it('the demo plays the person, in processes of its own, and says so', async () => {
  const place = new Workplace()
  const before = readdirSync(tmpdir())
  const { code, stdout, stderr } = await place.querent(['demo'], { env: keys })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('plays the person too')
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(90)

  const started = [...stdout.matchAll(/^\$ querent (run|answer) .*# process (\d+)$/gm)]
  const ended = [...stdout.matchAll(/^# process (\d+) ended with (\d+)/gm)]
  expect(started.map(([, command]) => command)).toEqual(['run', 'answer', 'answer', 'answer', 'answer'])
  expect(ended.map(([, , exit]) => exit)).toEqual(['75', '75', '75', '75', '0'])
  expect(ended.map(([, pid]) => pid)).toEqual(started.map(([, , pid]) => pid))
  expect(new Set(started.map(([, , pid]) => pid)).size).toBe(5)

  expect(lines.slice(-6)).toEqual([
    '  question 1.1  Which size? "M"',
    '  question 2.1  What would you like on top? ["Gift wrapping","Express delivery"]',
    '  question 3.1  Where shall we send it? {"name":"Ann Meyer","street":"12 Harbour Road","city":"Bremen"}',
    '  tool 4.1      place_order approved',
    '  tool 4.1      place_order ran',
    '  done',
  ])
  expect(readdirSync(tmpdir())).toEqual(before)
})

it('the demo runs on a model server of one’s own, whatever that asks', async () => {
  const server = await start()
  onTestFinished(() => server.close())
  const ask = (input: object) => ({ calls: [{ id: 'c', name: 'question', arguments: JSON.stringify(input) }] })
  server.script(
    ask({ question: 'A shape?', shape: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } }),
    ask({ question: 'In your words?' }),
    { text: 'Thank you.' },
  )
  const place = new Workplace()
  const args = ['demo', '--base-url', server.url, '--model', 'mine']
  const { code, stdout, stderr } = await place.querent(args, { env: keys })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('The model is mine.')
  expect(stdout).toContain('question 2.1  answered: "As you like."')
  expect(stdout).toContain('  Thank you.\n')
  expect(server.requests.map(({ body }) => JSON.parse(body).model)).toEqual(['mine', 'mine', 'mine'])
})
