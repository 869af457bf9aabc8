import type { Settlement } from '../core/ask.ts'
import type { EventData, EventType, RunEvent } from '../core/event.ts'
import type { ToolResult } from '../core/tool.ts'
import { textOf } from '../core/view.ts'
import { visible } from '../core/visible.ts'

/** The longest text of one line. The whole is in `--json`. */
const longestText = 200

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** What a line says: which step it is about, and what happened. */
interface Line {
  step?: string
  text: string
}

/** A log as lines, one for each event: seq, time, step, what happened. */
export function logLines(events: readonly RunEvent[]): string[] {
  const steps = new Steps()
  const lines = events.map((event) => ({ event, line: steps.lineOf(event) }))
  const width = Math.max(...lines.map(({ line }) => line.step?.length ?? 0))
  const digits = String(events.at(-1)?.seq ?? 0).length
  return lines.map(({ event, line }) => {
    const { seq, at } = event
    const step = (line.step ?? '').padEnd(width)
    return `${String(seq).padStart(digits)}  ${at.slice(0, 19).replace('T', ' ')}  ${step}  ${short(line.text)}`.trimEnd()
  })
}

/** Steps by name: events name calls by their effect, and asks by their id. */
class Steps {
  private readonly calls = new Map<string, { step: string; tool: string }>()
  private readonly asks = new Map<string, string>()

  lineOf(event: RunEvent): Line {
    // The table is keyed by the event's own type, which TypeScript cannot follow through an index.
    const describe = this.lines[event.type] as ((data: RunEvent['data']) => Line) | undefined
    return describe?.(event.data) ?? { text: event.type }
  }

  private readonly lines: { [T in EventType]: (data: EventData[T]) => Line } = {
    'run.started': ({ agent, trigger, starter, input }) => ({
      text: `started: ${agent}, ${trigger}, by ${starter.type === 'person' ? starter.id : 'the system'}: ${textOf(input)}`,
    }),
    'model.replied': (data) => this.replied(data),
    'approval.decided': ({ effect, needed, call }) => {
      if (call) this.calls.set(effect, { step: call.step, tool: call.tool })
      return this.ofCall(effect, needed ? 'needs approval' : 'needs no approval')
    },
    'tool.started': ({ effect, child }) =>
      this.ofCall(effect, child ? `run ${child} does it` : `${this.calls.get(effect)?.tool} started`),
    'tool.returned': ({ effect, result }) => this.ofCall(effect, resultText(result)),
    'tool.kept': ({ effect, key }) => this.ofCall(effect, `kept ${key}`),
    'ask.opened': (ask) => {
      this.asks.set(ask.id, ask.step)
      const call = this.calls.get(ask.effect)
      if (call) call.step = ask.step
      return { step: ask.step, text: `asked: ${JSON.stringify(ask.input)}` }
    },
    'ask.settled': (end) => ({ step: this.asks.get(end.ask), text: endText(end) }),
    'guard.refused': ({ direction, kind, reason, effect }) =>
      this.ofCall(effect ?? '', `guard refused ${direction === 'in' ? 'an' : 'to show a'} ${kind}: ${reason}`),
    'message.added': ({ from, content }) => ({ text: `message from ${from}: ${textOf(content)}` }),
    'driver.kept': ({ key }) => ({ text: `driver kept ${key}` }),
    'run.failed': ({ code, message }) => ({ text: `failed: ${code} ${message}` }),
    'run.finished': ({ text, output }) => ({ text: `finished: ${text || JSON.stringify(output ?? null)}` }),
    'run.stopped': ({ by }) => ({ text: `stopped by ${actorText(by)}` }),
  }

  private replied({ turn, calls, text, usage, refused }: EventData['model.replied']): Line {
    for (const [index, { effect, tool }] of calls.entries())
      this.calls.set(effect, { step: `tool ${turn}.${index + 1}`, tool })
    const said = refused ? `text refused: ${refused.reason}` : text
    const called = calls.map(({ tool }) => tool).join(', ')
    const parts = [said, called && `calls ${called}`, `${usage.outputTokens} tokens`]
    return { step: `model ${turn}`, text: parts.filter(Boolean).join(' · ') }
  }

  private ofCall(effect: string, text: string): Line {
    return { step: this.calls.get(effect)?.step, text }
  }
}

function endText({ outcome, by, data, reason, because }: Settlement): string {
  const said = [data === undefined ? '' : `: ${JSON.stringify(data)}`, reason ? `: ${reason}` : '']
  return `${outcome} by ${actorText(by)}${because ? ` (${because})` : ''}${said.join('')}`
}

function actorText(by: Settlement['by']): string {
  if (by.type === 'person') return by.id
  return { system: 'the system', clock: 'the clock', run: 'the run' }[by.type]
}

function resultText(result: ToolResult): string {
  if (result.type === 'error') return `error: ${result.value}`
  return `result: ${result.type === 'json' ? JSON.stringify(result.value) : result.value}`
}

/** Cut after it was made visible, so that nothing can hide in what is cut; never inside of a character. */
function short(text: string): string {
  const shown = visible(text, 'line')
  if (shown.length <= longestText) return shown
  return `${shown.slice(0, graphemes.segment(shown).containing(longestText)?.index)}…`
}
