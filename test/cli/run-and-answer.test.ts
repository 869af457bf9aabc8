import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Workplace } from './workplace.ts'

const size = { question: 'Which size?', choices: ['S', 'M', 'L'] }

describe('querent run, with nobody at the terminal', () => {
  it('C42: prints the ask and how to answer it, exits 75, and the run is parked', async () => {
    const place = new Workplace()
    const { run, printed } = await place.park([size], 'A T-shirt, gladly.')
    expect(printed.replace(/until \S+/, 'until …').split('\n')).toEqual([
      `asker · ${run}`,
      'A T-shirt, gladly.',
      'question 1.1 · asker',
      '  Which size?',
      '    1. S',
      '    2. M',
      '    3. L',
      '  until …',
      'It stays open, and the run waits. Answer or refuse it with',
      `  querent answer ${run} --step "question 1.1" --choose S`,
      `  querent refuse ${run} --step "question 1.1"`,
      '',
    ])
    const { stdout } = await place.querent(['runs', '--json'])
    expect(JSON.parse(stdout).items).toMatchObject([{ run, status: 'waiting' }])
  })

  it.each(['</dev/null', '<&-', '</dev/null | cat'])('C42: with %s, and another shell goes on', async (redirection) => {
    const place = new Workplace()
    const input = JSON.stringify({ questions: [size] })
    const { stdout } = await place.shell(`querent run asker '${input}' ${redirection}; echo "code $?"`)
    // In a pipe the code is that of the last command.
    expect(stdout).toContain(redirection.includes('|') ? 'code 0' : 'code 75')
    const command = /^ {2}(querent answer .*)$/m.exec(stdout)?.[1]
    const answered = await place.shell(String(command))
    expect(answered).toMatchObject({ code: 0, stderr: '' })
    expect(answered.stdout).toBe('question 1.1  answered: "S"\nHeard [{"type":"text","value":"S"}]\n')
  })

  it('takes the input from a pipe where no argument is given', async () => {
    const place = new Workplace()
    const ended = await place.querent(['run', 'asker'], { stdin: JSON.stringify({ questions: [size] }) })
    expect(ended).toMatchObject({ code: 75, stderr: '' })
    expect(ended.stdout).toContain('Which size?')
  })

  it('prints text and tools by name as they come, and ends with 0', async () => {
    const ended = await new Workplace().querent(['run', 'worker', 'go'])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout.split('\n').slice(1)).toEqual([
      'tool 1.1  look_up …',
      'tool 1.1  look_up done',
      'Looked up.',
      '',
    ])
  })

  it('says of a tool that threw that it failed', async () => {
    const ended = await new Workplace().querent(['run', 'clumsy', 'go'])
    expect(ended.stdout).toContain('tool 1.1  drop failed\n')
  })

  it('ends with 1 where the run fails, and says why', async () => {
    const ended = await new Workplace().querent(['run', 'broken', 'go'])
    expect(ended.code).toBe(1)
    expect(ended.stdout).toMatch(/^failed {2}T2005 .*the key ‹U\+001B›\[2K is wrong/m)
  })

  it('gives the run as one JSON value with --json, asks included', async () => {
    const place = new Workplace()
    const ended = await place.querent(['run', 'asker', JSON.stringify({ questions: [size] }), '--json'])
    expect(ended.code).toBe(75)
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'waiting', asks: [{ step: 'question 1.1' }] })
  })
})

describe('an approval, with nobody at the terminal', () => {
  const parked = async (place: Workplace) => {
    const { code, stdout } = await place.querent(['run', 'mailer', 'go'])
    expect(code).toBe(75)
    return { stdout, run: /run_\w+/.exec(stdout)?.[0] ?? '' }
  }

  it('shows the call as it would run, and runs it only with --approve', async () => {
    const place = new Workplace()
    const { stdout, run } = await parked(place)
    expect(stdout).toContain(
      'tool 1.1 · mailer\n  send_mail wants to run with\n  {\n    "to": "ann‹U+202E›@example.org"\n  }\n',
    )
    expect(stdout).toContain(`  querent answer ${run} --step "tool 1.1" --approve\n`)
    expect((await place.querent(['answer', run])).code).toBe(75)
    const edited = await place.querent(['answer', run, '--data', '{"input":{"to":"bob"}}'])
    expect(edited).toMatchObject({ code: 2, stdout: '' })
    expect(edited.stderr).toBe('error: tool 1.1 is an approval: --approve, or querent refuse.\n')
    const approved = await place.querent(['answer', run, '--approve'])
    expect(approved.code).toBe(0)
    expect(approved.stdout).toContain('tool 1.1  approved\ntool 1.1  send_mail …\ntool 1.1  send_mail done\n')
  })

  it('may be edited where the hint says so; what happened before an answer is not printed again', async () => {
    const place = new Workplace()
    const { stdout } = await place.querent(['run', 'editor', 'go'])
    const run = /run_\w+/.exec(stdout)?.[0] ?? ''
    expect(stdout).toContain(`  querent answer ${run} --step "tool 1.1" --data '{"input": …}'\n`)
    const wrong = await place.querent(['answer', run, '--step', 'tool 1.1', '--text', 'yes'])
    expect(wrong.stderr).toContain(`is an approval: --approve, --data '{"input": …}', or querent refuse.`)
    const first = await place.querent(['answer', run, '--step', 'tool 1.1', '--data', '{"input":{"sum":3}}'])
    expect(first.stdout).toContain('tool 1.1  pay done')
    const second = await place.querent(['answer', run, '--approve'])
    expect(second.code).toBe(0)
    expect(second.stdout).not.toContain('tool 1.1')
    expect(second.stdout).toContain('tool 1.2  pay done')
  })

  it('tells the model who refuses that, and why', async () => {
    const place = new Workplace()
    const { run } = await parked(place)
    const refused = await place.querent(['refuse', run, '--reason', 'wrong address'])
    expect(refused.code).toBe(0)
    expect(refused.stdout).toContain('Reason: wrong address')
    expect(refused.stdout).not.toContain('send_mail done')
  })
})

describe('a delegated run that asks, with nobody at the terminal', () => {
  it('C42: its ask is printed as others are, and answered on the run that was started', async () => {
    const place = new Workplace()
    const parked = await place.querent(['run', 'boss', 'go'])
    expect(parked).toMatchObject({ code: 75, stderr: '' })
    expect(parked.stdout).toMatch(/^The mailer does it\.\n(.*\n)*tool 1\.1\/tool 1\.1 · boss › mailer\n/m)
    const command = /^ {2}(querent answer .*)$/m.exec(parked.stdout)?.[1]
    const waits = await place.shell(String(command).replace(' --approve', ''))
    expect(waits).toMatchObject({ code: 75, stderr: '' })
    const answered = await place.shell(String(command))
    expect(answered).toMatchObject({ code: 0, stderr: '' })
    // Live text may come before the lines of the log that it follows.
    const lines = answered.stdout.trimEnd().split('\n')
    expect(lines.sort()).toEqual(['Ann knows.', 'tool 1.1  mailer done', 'tool 1.1/tool 1.1  approved'])
  })

  it('says what expired there, lets the run go on, and tells nothing of what was answered long ago', async () => {
    const place = new Workplace()
    const { stdout } = await place.querent(['run', 'chief', 'go'])
    const run = /run_\w+/.exec(stdout)?.[0] ?? ''
    const second = await place.querent(['answer', run, '--approve'])
    expect(second).toMatchObject({ code: 75, stderr: '' })
    expect(second.stdout).toContain('tool 2.1/tool 1.1 · chief › hurried')
    const late = await place.shell(`until querent asks | grep -q Nothing; do :; done
      querent answer ${run} --approve`)
    expect(late.stderr).toMatch(
      /^error: Nothing waits in this run: tool 2\.1\/tool 1\.1 {2}expired at 20\S+Z\. It goes on/,
    )
    const ended = await place.querent(['answer', run])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^tool 2\.1\/tool 1\.1 {2}expired at 20[\s\S]*So be it\./)
    expect(ended.stdout).not.toMatch(/^tool 1\.1/m)
    expect(ended.stdout).not.toContain('mailer')
  })
})

describe('querent answer, with nobody at the terminal', () => {
  it('asks nothing: without an answer it prints what waits and exits 75', async () => {
    const place = new Workplace()
    const { run } = await place.park([size])
    const ended = await place.querent(['answer', run])
    expect(ended.code).toBe(75)
    expect(ended.stdout).toContain(`  querent answer ${run} --step "question 1.1" --choose S\n`)
  })

  it('says what expired, and lets the run go on', async () => {
    const place = new Workplace()
    const { stdout } = await place.querent(['run', 'hasty', 'go'])
    const run = /run_\w+/.exec(stdout)?.[0] ?? ''
    const late = await place.shell(`until [ -z "$(querent asks)" ] || querent asks | grep -q Nothing; do :; done
      querent answer ${run} --text yes`)
    expect(late.stderr).toMatch(/^error: Nothing waits in this run: question 1\.1 {2}expired at 20\S+Z\. It goes on/)
    const ended = await place.querent(['answer', run])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(/^question 1\.1 {2}expired at 20[\s\S]*Too late\.\n/)
  })

  it('C06: several asks of a turn are answered in any order, each by its step', async () => {
    const place = new Workplace()
    const { run, printed } = await place.park([
      size,
      { question: 'Which colour?' },
      { question: 'Count?', shape: { type: 'integer' } },
    ])
    expect(printed).toContain('--step "question 1.3" --data JSON')
    const unclear = await place.querent(['answer', run, '--text', 'red'])
    expect(unclear.code).toBe(1)
    expect(unclear.stderr).toContain('T0004')
    expect(unclear.stderr).toContain('--step "question 1.2" --text TEXT')
    expect((await place.querent(['answer', run, '--step', 'question 1.3', '--data', '2'])).code).toBe(75)
    expect((await place.querent(['answer', run, '--step', 'question 1.2', '--text', 'red'])).code).toBe(75)
    const last = await place.querent(['answer', run, '--choose', 'L'])
    expect(last.code).toBe(0)
    expect(last.stdout).toContain(
      'Heard [{"type":"text","value":"L"},{"type":"text","value":"red"},{"type":"json","value":2}]',
    )
  })

  it('takes several labels, and a text of one’s own beside them', async () => {
    const place = new Workplace()
    const extras = { question: 'Extras?', choices: ['Gift', 'Card'], multi: true, other: true }
    const first = await place.park([extras])
    expect((await place.querent(['answer', first.run, '--choose', 'Card'])).stdout).toContain('"value":["Card"]')
    const second = await place.park([extras])
    const both = await place.querent(['answer', second.run, '--choose', 'Gift', 'Card', '--text', 'a bow'])
    expect(both.stdout).toContain('"value":{"selected":["Gift","Card"],"other":"a bow"}')
    const third = await place.park([extras])
    const own = await place.querent(['answer', third.run, '--text', 'a bow'])
    expect(own.stdout).toContain('"value":{"selected":[],"other":"a bow"}')
  })

  it.each([
    ['boolean', 'false'],
    ['integer', '0'],
    ['string', '""'],
    [['string', 'null'], 'null'],
    ['array', '[]'],
  ])('C20: the shape %j and the answer %s reach the model as that value', async (type, data) => {
    const place = new Workplace()
    const { run } = await place.park([{ question: 'What?', shape: { type } }])
    const none = await place.querent(['answer', run, '--approve'])
    expect(none.code).toBe(1)
    expect(none.stderr).toContain('T0002')
    const forbidden = await place.querent(['answer', run, '--data', data === 'null' ? '1' : 'null'])
    expect(forbidden.stderr).toContain('T0002')
    const never = await place.querent(['answer', run, '--step', 'question 2.1', '--data', data])
    expect(never.stderr).toContain('T0006')
    const answered = await place.querent(['answer', run, '--data', data])
    expect(answered.code).toBe(0)
    const heard = JSON.parse(/^Heard (.*)$/m.exec(answered.stdout)?.[1] ?? '')
    expect(heard).toEqual([{ type: data === '""' ? 'text' : 'json', value: JSON.parse(data) }])
  })

  it('C26: what does not fit is said field by field, and still waits; a refusal is not checked', async () => {
    const place = new Workplace()
    const shape = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
      required: ['name'],
      additionalProperties: false,
    }
    const { run } = await place.park([{ question: 'Who?', shape }])
    const before = (await place.querent(['show', run])).stdout
    for (const [data, path] of [
      ['{}', '/name'],
      ['{"name":42}', '/name'],
      ['{"name":"Ann","age":-5}', '/age'],
      ['{"name":"Ann","extra":1}', '/extra'],
    ] as const) {
      const refused = await place.querent(['answer', run, '--data', data])
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(new RegExp(`^T0002 {2}.*\\n +${path} `))
    }
    expect((await place.querent(['show', run])).stdout).toBe(before)
    const refused = await place.querent(['refuse', run, '--reason', 'not mine to say'])
    expect(refused.code).toBe(0)
    expect(refused.stdout).toContain('question 1.1  refused')
    expect(refused.stdout).toContain('Reason: not mine to say')
  })

  it('C33: a printed command does no more than answer, whatever the label says', async () => {
    const place = new Workplace()
    const label = `$(touch owned) '; touch owned; ' \`touch owned\``
    const { printed } = await place.park([{ question: 'Sure?', choices: [label, 'no'] }])
    const command = /^ {2}(querent answer .*)$/m.exec(printed)?.[1]
    const answered = await place.shell(String(command))
    expect(answered.code).toBe(0)
    expect(answered.stdout).toContain(`answered: ${JSON.stringify(label)}`)
    expect(existsSync(join(place.folder, 'owned'))).toBe(false)
  })
})
