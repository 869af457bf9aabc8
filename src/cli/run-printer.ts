import type { ViewEvent } from '../core/view.ts'
import { visible } from '../core/visible.ts'
import type { Output } from './output.ts'

/** Prints what a person sees of a run, as it happens. Asks are printed by whoever handles them. */
export class RunPrinter {
  private readonly output: Output
  /** Live text of the message that is being written. */
  private live = ''
  /** The end of a message that was printed before its last pieces came: they are dropped when they do. */
  private late = ''

  constructor(output: Output) {
    this.output = output
  }

  print(event: ViewEvent): void {
    switch (event.type) {
      case 'text.delta':
        this.printDelta(event.text)
        return
      case 'text.reset':
        if (this.live !== '') this.output.lines(' … broke off, and is said again:')
        this.live = ''
        return
      case 'message':
        // The first message of the person is what they have just typed.
        if (event.role === 'assistant') this.printMessage(event.text)
        else if (event.seq > 1) this.output.lines(`> ${visible(event.text).replaceAll('\n', '\n> ')}`)
        return
      case 'tool':
        if (event.state === 'started') this.output.lines(`${event.step}  ${visible(event.tool, 'line')} …`)
        else this.output.lines(`${event.step}  ${visible(event.tool, 'line')} ${event.failed ? 'failed' : 'done'}`)
        return
      case 'ask.settled':
        // What the person here said is on the screen already, and live text that follows it may be too.
        if (event.end.by !== 'you') this.output.lines(`${event.ask.step}  ${event.end.outcome}`)
        return
      case 'status':
        if (event.status === 'failed')
          this.output.lines(`failed  ${event.error?.code}  ${visible(event.error?.message ?? '')}`)
        if (event.status === 'stopped') this.output.lines('stopped')
        return
      default:
        return
    }
  }

  private printDelta(text: string): void {
    if (this.late.startsWith(text)) {
      this.late = this.late.slice(text.length)
      return
    }
    this.late = ''
    this.live += text
    this.output.liveText(text)
  }

  private printMessage(text: string): void {
    const live = this.live
    this.live = ''
    this.late = text.startsWith(live) ? text.slice(live.length) : ''
    if (live === '' || !text.startsWith(live)) {
      this.output.lines(visible(text))
      return
    }
    this.output.liveText(this.late)
    this.output.endLive()
  }
}
