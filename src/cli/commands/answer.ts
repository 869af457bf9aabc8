import type { Ask } from '../../core/ask.ts'
import type { Json } from '../../core/json.ts'
import type { RunView } from '../../core/view.ts'
import { visible } from '../../core/visible.ts'
import { answerAsk } from '../answer-ask.ts'
import { askedOf } from '../asked.ts'
import { type CommonOptions, type Desk, helperOf, withDesk } from '../command.ts'
import { type ExitCode, exit } from '../exit-codes.ts'
import { expiredOf, expiryText, nothingWaits } from '../expired.ts'
import { hasPerson, type Io } from '../io.ts'
import { askText } from '../print-ask.ts'
import { type AddressOptions, addressOf, goOn, isAt } from '../settling.ts'
import { Left, Prompter } from '../terminal/prompter.ts'
import { UsageError } from '../usage-error.ts'
import { end, howToAnswer, workOnRun } from '../work-on-run.ts'

/** The answer, in one of its forms. None: the person at the terminal is asked. */
export interface AnswerOptions {
  data?: string
  choose?: string[]
  text?: string
  approve?: boolean
}

/** `querent answer`: answers an ask, and works on the run here until it is at rest again, unless `work` is off. */
export function answer(
  io: Io,
  run: string,
  options: CommonOptions & AddressOptions & AnswerOptions & { work: boolean },
): Promise<ExitCode> {
  const given = checkAnswer(options)
  return withDesk(io, options, async (desk) => {
    const view = await desk.person.runs.get(run)
    if (!given) return askForAnswers(desk, { view, ...options })
    const at = addressOf(view, options)
    const ask = view.asks.find((each) => isAt(each, at))
    if (ask) checkApproval(ask, options)
    const data = dataOf(options, ask)
    const settled = await desk.person.runs.approve(at, { data })
    const said = data === undefined ? 'approved' : `answered: ${JSON.stringify(data)}`
    return goOn(desk, { view, settled, said, work: options.work })
  })
}

/** Asks whoever sits at the terminal; where nobody does, prints what is asked and how to answer it. */
async function askForAnswers(
  desk: Desk,
  options: { view: RunView; work: boolean } & AddressOptions,
): Promise<ExitCode> {
  const { view } = options
  const local = options.work && desk.local?.has(view.agent) ? desk.local : undefined
  const wanted = view.asks.filter((ask) => isAt(ask, options))
  const expired = view.asks.length === 0 ? expiredOf(view) : []
  const unfinished = view.status === 'ready' || view.status === 'working' || expired.length > 0
  if (local && !desk.json) for (const ask of expired) desk.output.lines(expiryText(ask))
  if (wanted.length === 0 && !(unfinished && local)) {
    if (expired.length > 0) throw nothingWaits(view)
    throw new UsageError(`Nothing waits ${options.step ? `at ${options.step} ` : ''}in this run: it is ${view.status}.`)
  }
  const prompts = !desk.json && hasPerson(desk.io)
  if (wanted.length > 0 && !prompts) {
    if (!desk.json) for (const ask of wanted) desk.output.lines(askText(ask))
    return end(desk, { ...view, status: 'waiting', asks: wanted })
  }
  if (!local) return storeAnswers(desk, wanted)
  const skipped = view.asks.filter((ask) => !wanted.includes(ask))
  return workOnRun(local, { helper: helperOf(local, view.agent), run: view.run, seen: view, skipped })
}

/** Takes answers at the terminal and leaves the work to others. */
async function storeAnswers(desk: Desk, asks: Ask[]): Promise<ExitCode> {
  const helper = desk.person.runs
  const leaving = new AbortController()
  const prompter = new Prompter(desk.io, desk.output, () => leaving.abort())
  const open: Ask[] = []
  let gone: ExitCode | undefined
  prompter.open()
  try {
    for (const ask of asks) {
      const left = gone ? undefined : await answerAsk(desk, { helper, ask, prompter, signal: leaving.signal })
      if (left === 'settled') desk.output.lines(`${ask.step}  stored. A process that works for its agent goes on.`)
      else open.push(ask)
      if (left instanceof Left && left.by === 'ctrl-c') gone = exit.interrupted
      if (left instanceof Left && left.by === 'ctrl-d') gone = exit.parked
    }
  } finally {
    prompter.close()
  }
  if (open.length === 0) return exit.fine
  desk.output.lines(howToAnswer(desk, open))
  return gone ?? exit.parked
}

/** Whether there is an answer, in one form only. */
function checkAnswer({ data, choose, text, approve }: AnswerOptions): boolean {
  const forms = [data !== undefined, choose !== undefined || text !== undefined, approve === true]
  const given = forms.filter(Boolean).length
  if (given > 1) throw new UsageError('Give one answer: --data JSON, or --choose LABEL… and --text TEXT, or --approve.')
  if (data !== undefined) parseData(data)
  return given === 1
}

/** An approval has no choices and takes no text; data only where its input may be edited. */
function checkApproval(ask: Ask, { data, choose, text }: AnswerOptions): void {
  if (ask.kind !== 'approval') return
  const labels = choose !== undefined || text !== undefined
  if (!labels && (data === undefined || ask.editable)) return
  const edited = ask.editable ? `, --data '{"input": …}'` : ''
  throw new UsageError(`${ask.step} is an approval: --approve${edited}, or querent refuse.`)
}

/** The answer as data. What was asked decides the form of labels: one, a list, or a list beside a text of one's own. */
function dataOf({ data, choose, text }: AnswerOptions, ask: Ask | undefined): Json | undefined {
  const asked = ask && askedOf(ask)
  if (data !== undefined) return parseData(data)
  if (choose !== undefined && text !== undefined) return { selected: choose, other: text }
  if (choose !== undefined) return asked?.multi || choose.length > 1 ? choose : choose[0]
  if (text !== undefined && asked?.other) return { selected: [], other: text }
  return text
}

function parseData(data: string): Json {
  try {
    return JSON.parse(data) as Json
  } catch {
    throw new UsageError(
      `--data is not JSON: ${visible(data, 'line')}. A text is written '"text"', or given with --text.`,
    )
  }
}
