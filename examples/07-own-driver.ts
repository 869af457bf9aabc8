/**
 * A driver of one's own: a clerk without a model, who asks two questions and files a permit. From an empty folder, each
 * line a process of its own; in between nothing runs, and the run waits in the file:
 *
 *   node 07-own-driver.ts            # Who is it for?
 *   node 07-own-driver.ts Bob        # For how many days?
 *   node 07-own-driver.ts 3          # Filed: 3 days for Bob.
 */
import { appendFileSync } from 'node:fs'
import { agent, createEngine, defineConfig, tool } from 'querent'
import { type Driver, park } from 'querent/extension'
import { sqlite } from 'querent/sqlite'

const file = tool({
  name: 'file',
  description: 'Files a permit.',
  input: {
    type: 'object',
    properties: { who: { type: 'string' }, days: { type: 'string' } },
    required: ['who', 'days'],
  },
  // Not `retrySafe`: the engine never starts it twice, whenever a process dies.
  execute(input) {
    const { who, days } = input as { who: string; days: string }
    appendFileSync('permits.txt', `${days} days for ${who}\n`)
    return `Filed: ${days} days for ${who}.`
  },
})

/** A question, and the pattern that its answer must fit. */
const question = (text: string, pattern: string) =>
  park({
    kind: 'question',
    tool: 'question',
    input: { question: text },
    answerSchema: { type: 'string', pattern },
    rule: { onExpire: 'refuse', guarded: false },
  })

const clerk: Driver = {
  name: 'clerk',
  // Called from the top whenever there is something to do. What was answered or done before gives the same again.
  async drive(session) {
    const who = await session.ask(question('Who is it for?', '\\S'))
    // Nobody has answered yet: the run parks here, and this process may end.
    if (who.status === 'parked') return
    // Refused, or the person wrote something else instead.
    if (who.end.outcome !== 'approved') return session.finish('Then not.')

    const days = await session.ask(question('For how many days?', '^[0-9]+$'))
    if (days.status === 'parked') return
    if (days.end.outcome !== 'approved') return session.finish('Then not.')

    const filed = await session.tool({
      tool: 'file',
      input: { who: String(who.end.data), days: String(days.end.data) },
    })
    if ('status' in filed) return
    await session.finish(String(filed.value))
  },
}

const config = defineConfig({
  agents: [agent('clerk', { driver: clerk, tools: [file] })],
  store: sqlite('permits.db'),
})
export default config

if (import.meta.main) {
  const engine = createEngine(config)
  await engine.start()
  const ann = engine.as({ id: 'ann' }).agent('clerk')
  const [underWay] = await ann.working()
  const run = underWay?.run ?? (await ann.start('a permit')).run

  const [ask] = (await ann.atRest(run)).asks
  const answer = process.argv[2]
  // What does not fit is refused with the reason, and the question still waits.
  if (ask && answer !== undefined)
    await ann.approve(ask, { data: answer }).catch((error: Error) => console.log(error.message))

  const { asks, output } = await ann.atRest(run)
  console.log(asks[0] ? (asks[0].input as { question: string }).question : output)
  await engine.close()
}
