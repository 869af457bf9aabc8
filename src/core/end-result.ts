import type { SettledAsk } from './ask.ts'
import type { Texts } from './texts.ts'
import { resultOf, type ToolResult } from './tool.ts'

/**
 * What the model hears of an ask that ended without a person's yes: refused, expired or withdrawn, in the words of
 * `texts`. `defaultAnswer: false`: an `onExpire: { answer }` counts as a refusal.
 */
export function endResult(ask: SettledAsk, texts: Texts, options: { defaultAnswer: boolean }): ToolResult {
  const { end, rule } = ask
  if (end.outcome === 'refused') {
    return told(end.reason === undefined ? texts.refused : `${texts.refused} ${texts.reason(end.reason)}`)
  }
  if (end.outcome === 'withdrawn') {
    const why = {
      message: texts.messageInstead,
      messageBefore: texts.messageBefore,
      stop: texts.stopped,
      end: texts.ended,
    }
    return told(why[end.because ?? 'end'])
  }
  // `fail` ends the run; a later round must not hear of a refusal that there never was.
  if (rule.onExpire === 'tell' || rule.onExpire === 'fail') return told(texts.expired)
  if (typeof rule.onExpire === 'object' && options.defaultAnswer) {
    const answer = resultOf(rule.onExpire.answer)
    return told(`${texts.defaultAnswer} ${answer.type === 'json' ? JSON.stringify(answer.value) : answer.value}`)
  }
  return told(texts.refused)
}

function told(value: string): ToolResult {
  return { type: 'text', value }
}
