import type { Ask } from '../core/ask.ts'
import type { Helper } from '../core/helper.ts'
import type { RunView } from '../core/view.ts'
import { answerAsk } from './answer-ask.ts'
import { type Command, type Printing, printJson } from './command.ts'
import { type ExitCode, exit } from './exit-codes.ts'
import { followRun, type Handling } from './follow-run.ts'
import { hasPerson } from './io.ts'
import { answerCommand, askText, editCommand, flags, refuseCommand } from './print-ask.ts'
import { Prompter } from './terminal/prompter.ts'

/** Thrown through what waits when the person pressed Ctrl-C. */
class Interrupted extends Error {}

/**
 * Works on a run in this process until it is over, or waits and nobody here answers. Shows it as it goes; at a terminal
 * the person answers each ask as it opens. `seen`: what of it was shown before; `skipped`: open asks to leave alone.
 */
export async function workOnRun(
  command: Command,
  options: { helper: Helper; run: string; seen?: RunView; skipped?: Ask[] },
): Promise<ExitCode> {
  const { io, engine } = command
  const interruption = new AbortController()
  // A second Ctrl-C finds nobody who listens, and ends the process whatever a tool still does.
  const interrupt = () => {
    interruption.abort(new Interrupted())
    letGo()
  }
  const letGo = () => {
    stopListening()
    person?.close()
  }
  const stopListening = io.onInterrupt(interrupt)
  const person = !command.json && hasPerson(io) ? new Prompter(io, command.output, interrupt) : undefined
  person?.open()
  try {
    await engine.start()
    const desk = new Desk(command, { ...options, prompter: person, interrupt })
    const view = await followRun({
      ...options,
      output: command.output,
      handle: (ask, signal) => desk.handle(ask, signal),
      signal: interruption.signal,
      silent: command.json,
    })
    return end(command, view)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    await engine.stop({ graceMs: 0 })
    return interrupted(command, await options.helper.run(options.run))
  } finally {
    letGo()
  }
}

/** Where asks come in: shown to the person who sits there, printed where nobody does. */
class Desk {
  private readonly command: Command
  private readonly options: { helper: Helper; run: string; prompter?: Prompter; interrupt(): void }
  private gone = false

  constructor(command: Command, options: Desk['options']) {
    this.command = command
    this.options = options
  }

  async handle(ask: Ask, signal: AbortSignal): Promise<Handling> {
    const { helper, prompter, interrupt } = this.options
    if (!prompter) {
      if (!this.command.json) this.command.output.lines(askText(ask))
      return 'left'
    }
    if (this.gone) return 'left'
    const left = await answerAsk(this.command, { helper, ask, prompter, signal })
    if (left === 'settled') return 'settled'
    if (left.by === 'ctrl-c') interrupt()
    if (left.by === 'ctrl-d') this.gone = true
    return 'left'
  }
}

/** Says how a run is now, and what to do next. */
export function end(command: Printing, view: RunView): ExitCode {
  if (command.json) printJson(command, view)
  else if (view.status === 'waiting') command.output.lines(howToAnswer(command, view.asks))
  if (view.status === 'waiting') return exit.parked
  return view.status === 'done' ? exit.fine : exit.error
}

/** What was left open, and how to answer it later. */
export function howToAnswer({ called }: Printing, asks: readonly Ask[]): string {
  if (asks.length === 0) return 'The run waits, and no ask of it can be answered any more.'
  const lines = [
    asks.length === 1
      ? 'It stays open, and the run waits. Answer or refuse it with'
      : 'They stay open, and the run waits. Answer or refuse with',
  ]
  for (const ask of asks) {
    lines.push(`  ${answerCommand(ask, asks, called)}`)
    if (ask.editable) lines.push(`  ${editCommand(ask, asks, called)}`)
    lines.push(`  ${refuseCommand(ask, asks, called)}`)
  }
  return lines.join('\n')
}

function interrupted(command: Command, view: RunView): ExitCode {
  if (view.status === 'waiting') command.output.lines(howToAnswer(command, view.asks))
  else if (view.status === 'ready' || view.status === 'working')
    command.output.lines(
      `Interrupted. The run is kept; it goes on with\n  querent answer ${view.run}${flags(command.called)}`,
    )
  return exit.interrupted
}
