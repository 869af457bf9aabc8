import { describe, expect, it } from 'vitest'
import { Workplace } from './workplace.ts'

const size = { question: 'Which size?', choices: ['S', 'M', 'L'] }

it('C13: a run that is not there, a settled ask, a run that is over, a step of another run', async () => {
  const place = new Workplace()
  const unknown = await place.querent(['answer', 'run_nobody', '--choose', 'S'])
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr).toContain('T0001')

  const one = await place.park([size])
  const two = await place.park([{ question: 'Name?' }, { question: 'Colour?' }])
  const log = await place.querent(['show', one.run, '--json'])
  const other = await place.querent(['answer', one.run, '--step', 'question 1.2', '--text', 'x'])
  expect(other.stderr).toContain('T0006')
  expect(other.stderr).toContain(`querent answer ${one.run} --step "question 1.1" --choose S`)
  expect((await place.querent(['show', one.run, '--json'])).stdout).toBe(log.stdout)

  await place.querent(['answer', two.run, '--step', 'question 1.1', '--text', 'Ann'])
  const again = await place.querent(['answer', two.run, '--step', 'question 1.1', '--text', 'Bob'])
  expect(again.code).toBe(1)
  expect(again.stderr).toMatch(/^T0003 .*approved by the person "local" at \d{4}-/)

  await place.querent(['answer', one.run, '--choose', 'S'])
  const over = await place.querent(['refuse', one.run, '--step', 'question 1.1'])
  expect(over.stderr).toContain('T0003')
  expect((await place.querent(['answer', one.run, '--choose', 'S'])).stderr).toContain(
    'Nothing waits in this run: it is done.',
  )
})

it('C31: what another person started is not there', async () => {
  const place = new Workplace()
  const ann = await place.querent(['run', 'asker', JSON.stringify({ questions: [size] }), '--as', 'ann'])
  expect(ann.code).toBe(75)
  const command = /^ {2}(querent answer .*)$/m.exec(ann.stdout)?.[1] ?? ''
  expect(command).toContain('--as ann')
  expect((await place.querent(['asks', '--as', 'bob'])).stdout).toBe('Nothing waits for bob.\n')
  expect((await place.shell(command.replace('--as ann', '--as bob'))).stderr).toContain('T0001')
  expect((await place.shell(command.replace('--as ann', ''))).stderr).toContain('T0001')
  const answered = await place.shell(command)
  expect(answered.code).toBe(0)
  const run = /run_\w+/.exec(command)?.[0] ?? ''
  expect((await place.querent(['show', run])).stdout).toContain('question 1.1  approved by ann: "S"')
})

describe('C33: untrusted text', () => {
  const nasty = `a\u202Eb\u200Bc\u001B[2Kd\re${' '.repeat(2000)}; rm -rf / <img src=x onerror=x> @everyone שלום مرحبا 👩\u200D👧`
  const shown =
    'a‹U+202E›b‹U+200B›c‹U+001B›[2Kd‹U+000D›e‹2000 spaces›; rm -rf / <img src=x onerror=x> @everyone שלום مرحبا 👩\u200D👧'
  // The question is cut to 2,000 bytes before it is stored; this one keeps its end.
  const question = nasty.replace(' '.repeat(2000), ' '.repeat(100))
  const shownQuestion = shown.replace('2000', '100')
  const label = nasty.slice(0, 10)
  const shownLabel = shown.slice(0, shown.indexOf('d‹') + 1)

  it('is shown in every command, and what is stored is unchanged', async () => {
    const place = new Workplace()
    const { run, printed } = await place.park([{ question, choices: [label, 'no'] }], nasty)
    expect(printed).toContain(shown)
    expect(printed).toContain(`  ${shownQuestion}\n    1. ${shownLabel}\n`)
    expect(printed).toContain('--choose LABEL')
    const outputs = [printed]
    for (const command of [
      'asks',
      'runs',
      `show ${run}`,
      'asks --json',
      `show ${run} --json`,
      `answer ${run} --text x`,
    ]) {
      const { stdout, stderr } = await place.querent(command.split(/ (?=\S)/))
      outputs.push(stdout, stderr)
    }
    for (const output of outputs) expect(output.replaceAll('👩\u200D👧', '')).not.toMatch(/[^\n\P{Cc}]|\p{Cf}/u)
    const [ask] = JSON.parse(outputs[7] ?? '').items
    expect(ask).toMatchObject({ input: { question }, options: [{ label }, { label: 'no' }] })
  })
})
