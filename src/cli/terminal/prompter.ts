import { isCancel, multiselect, select, text } from '@clack/prompts'
import { visible } from '../../core/visible.ts'
import type { Io } from '../io.ts'
import type { Output } from '../output.ts'
import { Keyboard, type LeaveKey, pastedText } from './keyboard.ts'
import { rowsOf } from './rows.ts'

/** The person left without an answer: by a key, by the last entry of a list, or since the ask was settled elsewhere. */
export class Left {
  readonly by: LeaveKey | 'entry' | 'settled'

  constructor(by: Left['by']) {
    this.by = by
  }
}

/** Why a prompt was taken away: somebody answered in another place. */
export class SettledElsewhere extends Error {}

/** An entry of a list. `label` and `hint` may be untrusted. */
export interface Entry<T> {
  value: T
  label: string
  hint?: string
}

/** Rows that a prompt with a few entries needs below a text. */
const promptRows = 8

/** Prompts on a terminal. Each gives an answer or `Left`; none can be answered by what was typed before it was shown. */
export class Prompter {
  private readonly io: Io
  private readonly output: Output
  private readonly keyboard: Keyboard

  constructor(io: Io, output: Output, onInterrupt: () => void) {
    this.io = io
    this.output = output
    this.keyboard = new Keyboard(io, onInterrupt)
  }

  open(): void {
    this.keyboard.open()
  }

  close(): void {
    this.keyboard.close()
  }

  /** A field of text. Enter ends it; a paste of several lines is one text. `problemOf` says what is wrong with it. */
  async text(
    message: string,
    options: { initial?: string; problemOf?(typed: string): string | undefined; signal: AbortSignal },
  ): Promise<string | Left> {
    const typed = await this.prompt(true, options.signal, (input) =>
      text({
        message: visible(message, 'line'),
        ...(options.initial === undefined ? {} : { initialValue: options.initial }),
        validate: (line) => options.problemOf?.(pastedText(line ?? '')),
        ...this.streams(input, options.signal),
      }),
    )
    // The line break at the end of a paste belongs to how it was copied.
    return typed instanceof Left ? typed : pastedText(typed).replace(/\n+$/, '')
  }

  /** One entry of a list. */
  async choose<T>(
    message: string,
    entries: Entry<T>[],
    options: { initial?: number; signal: AbortSignal },
  ): Promise<T | Left> {
    const chosen = await this.prompt(false, options.signal, (input) =>
      select<number>({
        message: visible(message, 'line'),
        options: listed(entries),
        ...(options.initial === undefined ? {} : { initialValue: options.initial }),
        ...this.streams(input, options.signal),
      }),
    )
    return chosen instanceof Left ? chosen : (entries[chosen] as Entry<T>).value
  }

  /** Several entries of a list, at least one if `required`. */
  async chooseSeveral<T>(
    message: string,
    entries: Entry<T>[],
    options: { required: boolean; initial?: number[]; signal: AbortSignal },
  ): Promise<T[] | Left> {
    const chosen = await this.prompt(false, options.signal, (input) =>
      multiselect<number>({
        message: visible(message, 'line'),
        options: listed(entries),
        required: options.required,
        ...(options.initial === undefined ? {} : { initialValues: options.initial }),
        ...this.streams(input, options.signal),
      }),
    )
    // In the order of the list, whatever order they were ticked in.
    return chosen instanceof Left ? chosen : entries.filter((_, at) => chosen.includes(at)).map((entry) => entry.value)
  }

  /** Prints a text. One that is taller than the screen is turned page by page, and may be read again. */
  async read(shown: string, signal: AbortSignal): Promise<'read' | Left> {
    const height = Math.max((this.io.stdout.rows ?? 24) - promptRows, 4)
    const rows = rowsOf(shown, this.io.stdout.columns ?? 80)
    if (rows.length <= height) {
      this.print(rows)
      return 'read'
    }
    for (let from = 0; ; ) {
      const to = Math.min(from + height, rows.length)
      this.print(rows.slice(from, to))
      const last = to === rows.length
      const next = await this.choose<'on' | 'again' | 'leave'>(
        `Lines ${from + 1} to ${to} of ${rows.length}`,
        [
          { value: 'on', label: last ? 'Answer' : 'Read on' },
          { value: 'again', label: 'Read from the start' },
          { value: 'leave', label: 'Leave it open' },
        ],
        { signal },
      )
      if (next instanceof Left) return next
      if (next === 'leave') return new Left('entry')
      if (next === 'on' && last) return 'read'
      from = next === 'on' ? to : 0
    }
  }

  private print(rows: string[]): void {
    this.io.stdout.write(`\n${rows.join('\n')}\n`)
  }

  private streams(input: NodeJS.ReadableStream, signal: AbortSignal) {
    // The types of clack name the classes, and it uses no more than the interfaces.
    return { input, output: this.io.stdout, signal } as object as Pick<
      Parameters<typeof text>[0],
      'input' | 'output' | 'signal'
    >
  }

  private async prompt<T>(
    takesText: boolean,
    signal: AbortSignal,
    show: (input: NodeJS.ReadableStream) => Promise<T | symbol>,
  ): Promise<Exclude<T, symbol> | Left> {
    this.output.hold()
    try {
      const { value, leftBy } = await this.keyboard.give(takesText, show)
      if (signal.aborted) {
        // Before what the run has printed since: it follows from that answer.
        if (signal.reason instanceof SettledElsewhere) this.print(['It was settled elsewhere in the meantime.'])
        return new Left('settled')
      }
      return isCancel(value) || typeof value === 'symbol' ? new Left(leftBy) : (value as Exclude<T, symbol>)
    } finally {
      this.output.release()
    }
  }
}

/** Clack shows a hint only beside the entry under the cursor; a description helps to choose among all. */
function listed<T>(entries: Entry<T>[]): { value: number; label: string }[] {
  return entries.map(({ label, hint }, value) => ({
    value,
    label: visible(hint === undefined ? label : `${label} – ${hint}`, 'line'),
  }))
}
