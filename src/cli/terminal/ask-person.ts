import type { Ask } from '../../core/ask.ts'
import type { Json } from '../../core/json.ts'
import { type Asked, askedOf } from '../asked.ts'
import { bodyOf, titleOf } from '../print-ask.ts'
import { fillForm } from './fill-form.ts'
import { type Entry, Left, type Prompter } from './prompter.ts'

/** What a person at the terminal says to an ask. */
export type Reply = { type: 'approve'; data?: Json } | { type: 'refuse'; reason?: string } | Left

/**
 * Shows an ask and takes the person's answer. Esc, Ctrl-C and Ctrl-D leave it open. `before` is what they answered and
 * did not fit: it is shown again to be mended. Aborting `signal` takes the prompt away.
 */
export async function askPerson(ask: Ask, prompter: Prompter, options: AskOptions): Promise<Reply> {
  if (options.before === undefined) {
    const read = await prompter.read(`${titleOf(ask)}   (Esc leaves it open)\n${bodyOf(ask)}`, options.signal)
    if (read instanceof Left) return read
  }
  const asked = askedOf(ask)
  if (!asked) return askApproval(prompter, options.signal)
  if (asked.options.length > 0)
    return asked.multi ? askSeveral(asked, prompter, options) : askOne(asked, prompter, options)
  if (asked.shape !== undefined) return approveWith(await fillForm(asked.shape, prompter, options))
  return approveWith(await askText('Your answer', prompter, options))
}

function approveWith(data: Json | Left): Reply {
  return data instanceof Left ? data : { type: 'approve', data }
}

interface AskOptions {
  before?: Json
  signal: AbortSignal
}

async function askOne(asked: Asked, prompter: Prompter, options: AskOptions): Promise<Reply> {
  const entries: Entry<() => Reply | Promise<Reply>>[] = asked.options.map(({ label, description }) => ({
    value: () => ({ type: 'approve', data: label }),
    label,
    hint: description,
  }))
  if (asked.other) {
    entries.push({
      value: async () => {
        const other = await askText('Your own answer', prompter, options)
        return other instanceof Left ? other : { type: 'approve', data: { selected: [], other } }
      },
      label: 'Something else …',
    })
  }
  entries.push(
    { value: () => refuse(prompter, options.signal), label: 'Refuse this question …' },
    { value: () => new Left('entry'), label: 'Leave it open' },
  )
  const chosen = await prompter.choose('Choose one', entries, options)
  return chosen instanceof Left ? chosen : chosen()
}

async function askSeveral(asked: Asked, prompter: Prompter, options: AskOptions): Promise<Reply> {
  const entries: Entry<string | undefined>[] = asked.options.map(({ label, description }) => ({
    value: label,
    label,
    hint: description,
  }))
  if (asked.other) entries.push({ value: undefined, label: 'Something else …' })
  const chosen = await prompter.chooseSeveral('Choose one or more', entries, { required: true, signal: options.signal })
  if (chosen instanceof Left) return chosen
  const selected = chosen.filter((label) => label !== undefined)
  if (selected.length === chosen.length) return { type: 'approve', data: selected }
  const other = await askText('Your own answer', prompter, options)
  return other instanceof Left ? other : { type: 'approve', data: { selected, other } }
}

/** Nothing is chosen at first: the entry under the cursor decides nothing, so that Enter alone never lets a call run. */
async function askApproval(prompter: Prompter, signal: AbortSignal): Promise<Reply> {
  for (;;) {
    const chosen = await prompter.choose<(() => Reply | Promise<Reply>) | undefined>(
      'May it run?',
      [
        { value: undefined, label: 'Choose with ↑ and ↓' },
        { value: () => ({ type: 'approve' }), label: 'Approve' },
        { value: () => refuse(prompter, signal), label: 'Refuse …' },
        { value: () => new Left('entry'), label: 'Leave it open' },
      ],
      { initial: 0, signal },
    )
    if (chosen instanceof Left) return chosen
    if (chosen) return chosen()
  }
}

async function refuse(prompter: Prompter, signal: AbortSignal): Promise<Reply> {
  const reason = await prompter.text('Why? (may be left blank)', { signal })
  if (reason instanceof Left) return reason
  return reason.trim() === '' ? { type: 'refuse' } : { type: 'refuse', reason }
}

function askText(message: string, prompter: Prompter, { before, signal }: AskOptions): Promise<string | Left> {
  return prompter.text(message, {
    signal,
    ...(typeof before === 'string' ? { initial: before } : {}),
    problemOf: (typed) => (typed.trim() === '' ? 'An answer is needed here.' : undefined),
  })
}
