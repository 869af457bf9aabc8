import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { key } from './terminal.ts'
import { querentCommand, Workplace } from './workplace.ts'

/** `script` of util-linux gives a command a real terminal. Debian and its kin always have it; others may not. */
const pseudoTerminal = 'script'
const hasScript = spawnSync(pseudoTerminal, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

/** A command in a real terminal of the operating system. */
class RealTerminal {
  readonly code: Promise<number>
  private readonly child: ChildProcess
  private printed = ''
  private seen = 0
  private waiting: (() => void) | undefined

  constructor(place: Workplace, args: string[], { rows = 24, columns = 80, env = {} } = {}) {
    const command = [...querentCommand, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    const line = `stty rows ${rows} cols ${columns}; exec ${command}`
    this.child = place.spawn([pseudoTerminal, '--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
      CI: '',
      ...env,
    })
    this.code = once(this.child, 'exit').then(([code]) => code as number)
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.printed += chunk
      this.waiting?.()
    })
  }

  type(keys: string): void {
    this.child.stdin?.write(keys)
  }

  /** Waits for a prompt, then types. Gives what was printed since. */
  async answer(pattern: RegExp, keys = ''): Promise<string> {
    for (;;) {
      const fresh = stripVTControlCharacters(this.printed.slice(this.seen)).replaceAll('\r', '')
      if (pattern.test(fresh)) {
        this.seen = this.printed.length
        this.type(keys)
        return fresh
      }
      await new Promise<void>((resolve) => {
        this.waiting = resolve
      })
    }
  }
}

const question = (input: object) => JSON.stringify({ text: 'One question.', questions: [input] })
const size = { question: 'Which size?', choices: ['S', 'M', 'L'] }

describe.skipIf(!hasScript && !process.env.CI)('in a real terminal', () => {
  it('the person answers what the run asks, and the run goes on', async () => {
    const place = new Workplace()
    const terminal = new RealTerminal(place, ['run', 'asker', question(size)])
    const shown = await terminal.answer(/Choose one[\s\S]*confirm/, key.down + key.enter)
    expect(shown).toContain('One question.\n\nquestion 1.1 · asker   (Esc leaves it open)\nWhich size?\n')
    await terminal.answer(/Heard \[\{"type":"text","value":"M"\}\]/)
    expect(await terminal.code).toBe(0)
  })

  it.each([
    ['Esc', key.escape, 75],
    ['Ctrl-C', key.ctrlC, 130],
    ['Ctrl-D', key.ctrlD, 75],
  ])('C45: %s leaves the ask open and says how to answer it', async (_, pressed, code) => {
    const place = new Workplace()
    const terminal = new RealTerminal(place, ['run', 'asker', question(size)])
    await terminal.answer(/Choose one[\s\S]*confirm/, pressed)
    await terminal.answer(/It stays open, and the run waits\. Answer or refuse it with\n {2}querent answer run_/)
    expect(await terminal.code).toBe(code)
    const asks = JSON.parse((await place.querent(['asks', '--json'])).stdout)
    expect(asks.items).toMatchObject([{ step: 'question 1.1' }])
  })

  it('C45: keys typed before the prompt is there do not answer it', async () => {
    const place = new Workplace()
    const terminal = new RealTerminal(place, ['run', 'asker', question(size)])
    terminal.type('\r\r')
    await terminal.answer(/One question/, '\r\r')
    await terminal.answer(/Choose one[\s\S]*confirm/, key.down.repeat(2) + key.enter)
    await terminal.answer(/Heard \[\{"type":"text","value":"L"\}\]/)
    expect(await terminal.code).toBe(0)
  })

  it.each(['one\rtwo\rthree\r', '\u001B[200~one\ntwo\nthree\u001B[201~\r'])(
    'C45: a paste is one answer: %j',
    async (keys) => {
      const place = new Workplace()
      const terminal = new RealTerminal(place, ['run', 'asker', question({ question: 'Name?' })], { columns: 40 })
      await terminal.answer(/Your answer/, keys)
      await terminal.answer(/"value":"one\\ntwo\\nthree"/)
      expect(await terminal.code).toBe(0)
    },
  )

  it('C45: an approval is not given by Enter alone', async () => {
    const place = new Workplace()
    const terminal = new RealTerminal(place, ['run', 'mailer', 'go'])
    await terminal.answer(/May it run\?[\s\S]*confirm/, key.enter)
    await terminal.answer(/● Choose with[\s\S]*confirm/, key.down + key.enter)
    await terminal.answer(/send_mail done[\s\S]*Heard/)
    expect(await terminal.code).toBe(0)
  })

  it('the person is asked what a delegated run asks, and the run goes on', async () => {
    const place = new Workplace()
    const terminal = new RealTerminal(place, ['run', 'boss', 'go'])
    await terminal.answer(/boss › mailer[\s\S]*May it run\?[\s\S]*confirm/, key.down + key.enter)
    await terminal.answer(/Ann knows/)
    expect(await terminal.code).toBe(0)
  })

  it('querent answer asks for the answer, again where it did not fit', async () => {
    const place = new Workplace()
    const shape = { type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] }
    const { run } = await place.park([{ question: 'Who?', shape }])
    const terminal = new RealTerminal(place, ['answer', run])
    await terminal.answer(/age\n/, '-5\r')
    await terminal.answer(/T0002 {2}[\s\S]*\/age [\s\S]*-5█/, '\u007F\u007F5\r')
    await terminal.answer(/Heard \[\{"type":"json","value":\{"age":5\}\}\]/)
    expect(await terminal.code).toBe(0)
  })

  it('querent answer stores the answer where the agent is not here', async () => {
    const place = new Workplace()
    const { run } = await place.park([size])
    const terminal = new RealTerminal(place, ['answer', run, '--database', 'querent.db'])
    await terminal.answer(/Choose one[\s\S]*confirm/, key.enter)
    await terminal.answer(/question 1\.1 {2}stored/)
    expect(await terminal.code).toBe(0)
    expect((await place.querent(['answer', run])).stdout).toContain('"value":"S"')
  })

  it('an answer from elsewhere takes the prompt away, and the run goes on here', async () => {
    const place = new Workplace()
    const terminal = new RealTerminal(place, ['run', 'asker', question(size)])
    const shown = await terminal.answer(/Choose one[\s\S]*confirm/)
    const run = /run_\w+/.exec(shown)?.[0] ?? ''
    expect((await place.querent(['answer', run, '--choose', 'S', '--no-work'])).code).toBe(0)
    await terminal.answer(/It was settled elsewhere in the meantime\.\nHeard/)
    expect(await terminal.code).toBe(0)
  })

  it('the demo asks you', async () => {
    const place = new Workplace()
    const env = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }
    const terminal = new RealTerminal(place, ['demo'], { env })
    await terminal.answer(/Choose one[\s\S]*confirm/, key.down + key.enter)
    await terminal.answer(/one or more[\s\S]*confirm/, key.space + key.enter)
    await terminal.answer(/Name\n/, 'Ann\r')
    await terminal.answer(/Street/, '1 Way\r')
    await terminal.answer(/City/, 'Ulm\r')
    await terminal.answer(/Floor/, '3\r')
    await terminal.answer(/place_order[\s\S]*Approve[\s\S]*confirm/, key.down + key.enter)
    const end = await terminal.answer(/The steps of the run:[\s\S]*done/)
    expect(end).toContain(
      'question 3.1  Where shall we send it? {"name":"Ann","street":"1 Way","city":"Ulm","floor":3}',
    )
    expect(await terminal.code).toBe(0)
  })
})
