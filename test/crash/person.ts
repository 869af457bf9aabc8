import { type Ask, type Helper, type Json, QuerentError, type RunView } from 'querent'
import type { FakeClock } from 'querent/testing'
import type { Act, Reply, Traces } from './traces.ts'

/** What to answer, by the question, or by the name of the tool that is to be approved. */
export type Replies = Record<string, Reply>

/**
 * The person in front of a process that may die at any moment. They remember what they were told, and nothing else: what
 * was never acknowledged they do again, a repeated answer with the id it had.
 */
export class Person {
  readonly #helper: Helper
  readonly #acts: Traces['acts']
  readonly #clock: FakeClock

  constructor(helper: Helper, acts: Traces['acts'], clock: FakeClock) {
    this.#helper = helper
    this.#acts = acts
    this.#clock = clock
  }

  async start(text: string): Promise<string> {
    const { run } = await this.#helper.start(text, { key: 'the one run' })
    for (const { id, at, reply } of this.#unacknowledged()) await this.#settle(id, at, reply)
    return run
  }

  rest(run: string): Promise<RunView> {
    return this.#helper.atRest(run)
  }

  /** Answers whatever waits, one after another, until the run is over. */
  async answerAll(run: string, replies: Replies): Promise<void> {
    for (let view = await this.rest(run); view.status === 'waiting'; view = await this.rest(run)) {
      for (const ask of view.asks) await this.#answer(ask, replies)
    }
  }

  /** Answers whatever waits at once: of those that come together the later ones find a run that is worked on. */
  async answerAtOnce(run: string, replies: Replies): Promise<void> {
    const { asks } = await this.rest(run)
    await Promise.all(asks.map((ask) => this.#answer(ask, replies)))
  }

  /** Gives an answer that does not fit to what waits, if anything does. */
  async answerBadly(run: string, data: Json): Promise<void> {
    const { asks } = await this.rest(run)
    for (const ask of asks) {
      const code = await codeOf(this.#helper.approve(ask, { data }))
      this.#acts.add({ act: 'answered badly', data, code })
    }
  }

  async say(run: string, text: string): Promise<void> {
    if (this.#did((act) => act.act === 'said' && act.text === text)) return
    await this.#helper.say({ run, text, key: text })
    this.#acts.add({ act: 'said', text })
  }

  async stop(run: string): Promise<void> {
    if (this.#did((act) => act.act === 'stopped')) return
    await this.#helper.stop({ run })
    this.#acts.add({ act: 'stopped' })
  }

  /** Lets time pass until the run goes on by itself. */
  async letTimePass(run: string, ms: number): Promise<void> {
    // A deadline is armed some turns of the event loop after its ask opened, and a clock that stands calls nobody later.
    for (let looks = 1; (await this.#helper.run(run)).status === 'waiting'; looks++) {
      if (looks > 1000) throw new Error(`Time has passed, and the run still waits: ${run}.`)
      this.#clock.advance(looks === 1 ? ms : 1)
      await new Promise(setImmediate)
    }
  }

  /** At the end: every answer that was acknowledged once more, and then another one in its place. */
  async insist(): Promise<void> {
    const answered = new Set(this.#acts.all().flatMap((act) => (act.act === 'answered' ? [act.id] : [])))
    for (const { id, at, reply } of this.#answers().filter((act) => answered.has(act.id))) {
      const { duplicate } = await this.#send(at, reply, id)
      this.#acts.add({ act: 'repeated', id, duplicate })
      const code = await codeOf(this.#helper.refuse(at, { reason: 'Changed my mind.', answerId: id }))
      this.#acts.add({ act: 'contradicted', id, code })
    }
  }

  async #answer(ask: Ask, replies: Replies): Promise<void> {
    const { question = ask.tool } = ask.input as { question?: string }
    const reply = replies[question]
    if (!reply) throw new Error(`Nobody knows an answer to ${JSON.stringify(question)}.`)
    const { run, step, repeat, n } = ask
    const id = `${repeat} ${step} ${n}`
    this.#acts.add({ act: 'answers', id, at: { run, step, repeat, n }, reply })
    await this.#settle(id, { run, step, repeat, n }, reply)
  }

  async #settle(id: string, at: Answering['at'], reply: Reply): Promise<void> {
    const { ask, duplicate } = await this.#send(at, reply, id)
    this.#acts.add({ act: 'answered', id, ask: ask.id, duplicate })
  }

  #send(at: Answering['at'], reply: Reply, answerId: string): ReturnType<Helper['approve']> {
    return 'reason' in reply
      ? this.#helper.refuse(at, { ...reply, answerId })
      : this.#helper.approve(at, { ...reply, answerId })
  }

  #unacknowledged(): Answering[] {
    return this.#answers().filter(({ id }) => !this.#did((act) => act.act === 'answered' && act.id === id))
  }

  #answers(): Answering[] {
    return this.#acts.all().filter((act) => act.act === 'answers')
  }

  #did(is: (act: Act) => boolean): boolean {
    return this.#acts.all().some(is)
  }
}

type Answering = Extract<Act, { act: 'answers' }>

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
    return 'accepted'
  } catch (error) {
    if (error instanceof QuerentError) return error.code
    throw error
  }
}
