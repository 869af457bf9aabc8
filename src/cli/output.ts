import { visible } from '../core/visible.ts'
import type { Screen } from './io.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * What a command prints, in order. Text of a model comes in pieces that end anywhere, so the end of what came is held
 * until it is known what it belongs to: half an emoji, the beginning of a long run of spaces. While a prompt is on the
 * screen everything is held, or it would be drawn into the prompt.
 */
export class Output {
  private readonly screen: Screen
  private live = ''
  private inLive = false
  private held: string | undefined

  constructor(screen: Screen) {
    this.screen = screen
  }

  /** One or more whole lines. They must be safe to print already. */
  lines(text: string): void {
    this.endLive()
    this.write(`${text}\n`)
  }

  /** A piece of text from a model. */
  liveText(piece: string): void {
    this.live += piece
    const safe = this.live.length - lengthOfTail(this.live)
    if (safe <= 0) return
    this.write(visible(this.live.slice(0, safe)))
    this.live = this.live.slice(safe)
    this.inLive = true
  }

  /** The text is whole now. Says whether any of it was printed live. */
  endLive(): boolean {
    const had = this.inLive || this.live !== ''
    if (had) this.write(`${visible(this.live)}\n`)
    this.live = ''
    this.inLive = false
    return had
  }

  /** A prompt has the screen now. */
  hold(): void {
    this.endLive()
    this.held = ''
  }

  release(): void {
    const held = this.held
    this.held = undefined
    if (held) this.screen.write(held)
  }

  private write(text: string): void {
    if (this.held === undefined) this.screen.write(text)
    else this.held += text
  }
}

/** How much of the end may still change its meaning: half a character, the last one, and what leads up to it. */
function lengthOfTail(text: string): number {
  const whole = text.replace(/[\uD800-\uDBFF]$/, '')
  const start = graphemes.segment(whole).containing(whole.length - 1)?.index ?? 0
  // A joiner is ordinary where a letter follows, white space is counted as a whole.
  const lead = /(?:\s+|.[\u200C\u200D])$/u.exec(whole.slice(0, start))
  return text.length - start + (lead?.[0].length ?? 0)
}
