import type { Ask } from '../core/ask.ts'
import type { JsonSchema } from '../core/json.ts'
import { visible } from '../core/visible.ts'
import { askedOf } from './asked.ts'
import { fieldsOf } from './terminal/fields.ts'

/** How the command was called, so that what is printed can be called the same way. */
export interface Called {
  config?: string
  database?: string
  as?: string
  url?: string
}

/** An ask as plain text: where it stands, what is asked, what may be answered, until when. A list cuts long questions. */
export function askText(ask: Ask, maxLines = Number.POSITIVE_INFINITY): string {
  const body = bodyOf(ask).split('\n')
  const cut = body.length > maxLines ? [`… ${body.length - maxLines} more lines`] : []
  const lines = [titleOf(ask), indent([...body.slice(0, maxLines), ...cut].join('\n'))]
  for (const [index, option] of (ask.options ?? []).entries()) {
    const description = option.description ? ` – ${visible(option.description, 'line')}` : ''
    lines.push(`    ${index + 1}. ${visible(option.label, 'line')}${description}`)
  }
  const shape = askedOf(ask)?.shape
  if (shape !== undefined) lines.push(...shapeLines(shape))
  if (ask.until) lines.push(`  until ${ask.until}`)
  return lines.join('\n')
}

/** A shape field by field; one without fields as the schema it is. */
function shapeLines(shape: JsonSchema): string[] {
  const fields = fieldsOf(shape)
  if (fields.length === 1 && fields[0]?.name === undefined && fields[0]?.options.length === 0) {
    return [`    JSON that fits ${visible(JSON.stringify(shape), 'line')}`]
  }
  return fields.map(({ name, title, kind, required, options }) => {
    const choice = options.map(({ value }) => JSON.stringify(value)).join(', ')
    const label = name === undefined || name === title ? '' : ` – ${title}`
    const what = choice ? `${kind === 'choices' ? 'any of' : 'one of'} ${choice}` : kind
    return `    ${visible(`${name ?? 'JSON'}${label}: ${what}${required ? '' : ', optional'}`, 'line')}`
  })
}

/** The step, and who asks. */
export function titleOf(ask: Ask): string {
  const nth = [ask.repeat > 1 ? `round ${ask.repeat}` : '', ask.n > 1 ? `no. ${ask.n}` : ''].filter(Boolean).join(', ')
  return `${ask.step}${nth ? ` (${nth})` : ''} · ${ask.path.join(' › ')}`
}

/** The question itself; for an approval the call, as it would run. */
export function bodyOf(ask: Ask): string {
  const asked = askedOf(ask)
  if (asked) return visible(asked.question)
  return `${visible(ask.tool)} wants to run with\n${visible(JSON.stringify(ask.input, null, 2))}`
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

/** The command that answers an ask, ready to be copied. `open` are the asks it may be confused with. */
export function answerCommand(ask: Ask, open: readonly Ask[], called: Called): string {
  return `querent answer ${at(ask, open)} ${answerOption(ask)}${flags(called)}`
}

/** The command that approves a call with another input. */
export function editCommand(ask: Ask, open: readonly Ask[], called: Called): string {
  return `querent answer ${at(ask, open)} --data '{"input": …}'${flags(called)}`
}

/** The command that refuses it. */
export function refuseCommand(ask: Ask, open: readonly Ask[], called: Called): string {
  return `querent refuse ${at(ask, open)}${flags(called)}`
}

function at(ask: Ask, open: readonly Ask[]): string {
  const several = open.filter((other) => other.run === ask.run && other.step === ask.step).length > 1
  const which = several || ask.repeat > 1 || ask.n > 1 ? ` --repeat ${ask.repeat} --n ${ask.n}` : ''
  return `${quoted(ask.run)} --step "${ask.step}"${which}`
}

function answerOption(ask: Ask): string {
  const asked = askedOf(ask)
  if (!asked) return '--approve'
  const [first] = asked.options
  if (first) return `--choose ${isPlain(first.label) ? quoted(first.label) : 'LABEL'}`
  return asked.shape === undefined ? '--text TEXT' : '--data JSON'
}

/** The options that name the same database and person again. */
export function flags({ config, database, as, url }: Called): string {
  const named = [
    config === undefined ? '' : ` --config ${quoted(config)}`,
    database === undefined ? '' : ` --database ${quoted(withoutPassword(database))}`,
    as === undefined ? '' : ` --as ${quoted(as)}`,
    url === undefined ? '' : ` --url ${quoted(url)}`,
  ]
  return named.join('')
}

/** What is printed is kept in logs, and shown to who stands behind. `pg` finds a password in `PGPASSWORD` or `~/.pgpass`. */
function withoutPassword(database: string): string {
  return database.replace(/^(postgres(?:ql)?:\/\/[^/@:]*):[^@]*@/, '$1@')
}

/** A label that a shell and an eye take for what it is. Others are shown in the list only: this line will be copied. */
function isPlain(label: string): boolean {
  return label.length <= 60 && visible(label, 'line') === label && !label.startsWith('-')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
