import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { kill, printed, Workplace } from './workplace.ts'

const server = [
  process.execPath,
  '--conditions=querent-source',
  fileURLToPath(import.meta.resolve('./fixtures/server.ts')),
]
const input = JSON.stringify({ questions: [{ question: 'Which size?', choices: ['S', 'M', 'L'] }] })

async function statusOf(place: Workplace, run: string): Promise<string> {
  const { items } = JSON.parse((await place.querent(['runs', '--json'])).stdout)
  return items.find((each: { run: string }) => each.run === run)?.status
}

it('C15: a question outlives its server, and the command line answers it', async () => {
  const place = new Workplace()
  const first = place.spawn([...server, input])
  const [, run = ''] = await printed(first, /waits (run_\w+)/)
  const before = await place.querent(['asks', '--json'])
  await kill(first)
  const second = place.spawn(server)
  await printed(second, /ready/)
  const after = await place.querent(['asks', '--json'])
  expect(JSON.parse(after.stdout)).toEqual(JSON.parse(before.stdout))
  expect(JSON.parse(after.stdout).items).toMatchObject([
    { run, options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }] },
  ])
  const answered = await place.querent(['answer', run, '--choose', 'M'])
  expect(answered).toMatchObject({ code: 0, stderr: '' })
  expect(answered.stdout).toContain('Heard [{"type":"text","value":"M"}]')
  expect(await statusOf(place, run)).toBe('done')
})

it('C15: killed between the answer and the resume, the run ends by itself after a start', async () => {
  const place = new Workplace()
  const { run } = await place.park([{ question: 'Which size?', choices: ['S', 'M', 'L'] }])
  expect((await place.querent(['answer', run, '--choose', 'M', '--no-work'])).code).toBe(0)
  expect(await statusOf(place, run)).toBe('ready')
  const started = place.spawn(server)
  await printed(started, /ready/)
  const followed = await place.querent(['answer', run, '--no-work'])
  // Whether it is over by now is the server's business; that it gets there is ours.
  expect(followed.code).toBe(2)
  expect((await place.shell(`until querent show ${run} | grep -q finished; do :; done`)).code).toBe(0)
  expect(await statusOf(place, run)).toBe('done')
})

it('C15: killed while it worked on the answer, the run goes on in the next process', async () => {
  const place = new Workplace()
  const { run } = await place.park([{ question: 'Which size?', choices: ['S', 'M', 'L'] }])
  const child = place.spawn(['/bin/sh', '-c', `exec ${answerCommand(run)}`], { MODEL_HANGS: '1' })
  await printed(child, /the model hangs/)
  await kill(child)
  const next = await place.querent(['answer', run])
  expect(next).toMatchObject({ code: 0, stderr: '' })
  expect(next.stdout).toContain('Heard [{"type":"text","value":"L"}]')
})

function answerCommand(run: string): string {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  return `'${process.execPath}' --conditions=querent-source '${main}' answer ${run} --choose L`
}

it('C16: process 2 answers as the first thing it does, and needs no agents; process 3 goes on', async () => {
  const place = new Workplace()
  const { run } = await place.park([{ question: 'Which size?', choices: ['S', 'M', 'L'] }])
  const asks = await place.querent(['asks', '--database', 'querent.db'])
  expect(asks.stdout).toContain(`querent answer ${run} --step "question 1.1" --choose S --database querent.db`)
  const answered = await place.querent(['answer', run, '--choose', 'S', '--database', 'querent.db'])
  expect(answered.code).toBe(0)
  expect(answered.stdout).toContain('It is stored. A process that has the agent "asker" goes on with the run.')
  const worked = await place.querent(['answer', run])
  expect(worked.code).toBe(0)
  expect(worked.stdout).toContain('Heard [{"type":"text","value":"S"}]')
})

it('Ctrl-C while the model works gives the run back and ends with 130; another process goes on', async () => {
  const place = new Workplace()
  const { run } = await place.park([{ question: 'Which size?', choices: ['S', 'M', 'L'] }])
  const child = place.spawn(['/bin/sh', '-c', `exec ${answerCommand(run)}`], { MODEL_HANGS: '1' })
  await printed(child, /the model hangs/)
  const code = new Promise((resolve) => child.once('exit', resolve))
  const said = printed(child, /goes on with\n {2}(querent answer \w+)/)
  child.kill('SIGINT')
  const [, command = ''] = await said
  expect(await code).toBe(130)
  const next = await place.shell(command)
  expect(next).toMatchObject({ code: 0, stderr: '' })
  expect(next.stdout).toContain('Heard [{"type":"text","value":"L"}]')
})
