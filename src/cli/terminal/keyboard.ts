import { PassThrough } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { nextTurn } from '../../core/ambient.ts'
import type { Input, Screen } from '../io.ts'

/** Which key ended a prompt without an answer. */
export type LeaveKey = 'escape' | 'ctrl-c' | 'ctrl-d'

/** What stands in a one-line field for the line breaks and tabs of a paste. */
const standIns = { '\n': '⏎', '\t': '⇥' } as const

const pasteBegins = '\u001B[200~'
const pasteEnds = '\u001B[201~'

interface OpenPrompt {
  keys: PassThrough
  /** Whether it takes text. Other prompts drop what is pasted: pasted letters are no commands. */
  takesText: boolean
  leftBy: LeaveKey
}

/**
 * The keyboard of a terminal while a command may ask. It stays in raw mode between prompts too, and what is typed then
 * is dropped: nobody can have meant it for a question they had not seen. A paste is one piece of text, line breaks
 * included.
 */
export class Keyboard {
  private readonly stdin: Input
  private readonly screen: Screen
  private readonly onInterrupt: () => void
  private readonly decoder = new StringDecoder('utf8')
  private prompt: OpenPrompt | undefined
  private rest = ''
  private inPaste = false
  private isOpen = false

  constructor(terminal: { stdin: Input; stdout: Screen }, onInterrupt: () => void) {
    this.stdin = terminal.stdin
    this.screen = terminal.stdout
    this.onInterrupt = onInterrupt
  }

  open(): void {
    this.isOpen = true
    this.stdin.setRawMode?.(true)
    this.stdin.on('data', this.read)
    this.stdin.resume()
    this.screen.write('\u001B[?2004h')
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.screen.write('\u001B[?2004l')
    this.stdin.off('data', this.read)
    this.stdin.setRawMode?.(false)
    this.stdin.pause()
  }

  /** Gives a prompt its keys, from now on. `leftBy` says, where the prompt was cancelled, with which key. */
  async give<T>(takesText: boolean, show: (keys: PassThrough) => Promise<T>): Promise<{ value: T; leftBy: LeaveKey }> {
    await this.dropTypedAhead()
    const prompt: OpenPrompt = { keys: new PassThrough(), takesText, leftBy: 'escape' }
    this.prompt = prompt
    try {
      return { value: await show(prompt.keys), leftBy: prompt.leftBy }
    } finally {
      // What came after the key that ended it goes with its stream.
      this.prompt = undefined
      prompt.keys.destroy()
    }
  }

  /** What the system holds already is read, and dropped, before the loop has turned twice. */
  private async dropTypedAhead(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await nextTurn()
  }

  private readonly read = (chunk: Buffer | string): void => {
    this.rest += typeof chunk === 'string' ? chunk : this.decoder.write(chunk)
    while (this.rest !== '') {
      const marker = this.inPaste ? pasteEnds : pasteBegins
      const at = this.rest.indexOf(marker)
      const end = at === -1 ? this.rest.length - lengthOfPartial(this.rest, marker) : at
      const part = this.rest.slice(0, end)
      if (part !== '' && this.inPaste) this.paste(part)
      else if (part !== '') this.type(part)
      this.rest = this.rest.slice(at === -1 ? end : end + marker.length)
      if (at === -1) return
      this.inPaste = !this.inPaste
    }
  }

  private type(text: string): void {
    if (!this.prompt) {
      if (text.includes('\u0003')) this.onInterrupt()
      return
    }
    // Typing comes key by key. A line break with more behind it in one piece is a paste on a terminal that marks none.
    if (this.prompt.takesText && !text.includes('\u001B') && /[\r\n](?=[^\r\n])/.test(text)) {
      const [, lines = '', last = ''] = /^(.*?)([\r\n]*)$/s.exec(text) ?? []
      this.paste(lines)
      this.type(last)
      return
    }
    if (text.includes('\u0003')) this.prompt.leftBy = 'ctrl-c'
    else if (text.includes('\u0004')) this.prompt.leftBy = 'ctrl-d'
    // Ctrl-Z would stop the process with the terminal in raw mode; to the prompt Ctrl-D is Ctrl-C, or it would hang.
    this.prompt.keys.write(text.replaceAll('\u001A', '').replaceAll('\u0004', '\u0003'))
  }

  private paste(text: string): void {
    if (!this.prompt?.takesText) return
    const line = text
      .replaceAll(/\r\n?|\n/g, standIns['\n'])
      .replaceAll('\t', standIns['\t'])
      .replaceAll(/\p{Cc}/gu, '')
    this.prompt.keys.write(line)
  }
}

/** The text that was typed and pasted, with its line breaks and tabs. */
export function pastedText(line: string): string {
  return line.replaceAll(standIns['\n'], '\n').replaceAll(standIns['\t'], '\t')
}

/** How much of the end may be the beginning of the marker. A lone ESC is a key. */
function lengthOfPartial(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length >= 2; length--) {
    if (text.endsWith(marker.slice(0, length))) return length
  }
  return 0
}
