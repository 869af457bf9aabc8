import { changeChunks, chunksOf } from './chunks-of.ts'
import type { PostedPart } from './posted.ts'
import type { ToolPart, UiChunk, UiPart } from './ui-message.ts'

/**
 * The chunks that bring a reply as a page shows it to what it is. Of steps that are over nothing can be told any more; the
 * step that the page is in is corrected part by part, so that no form in it is drawn anew; what follows is added.
 */
export function catchUp(parts: readonly UiPart[], shown: readonly PostedPart[]): UiChunk[] {
  const steps = stepsOf(parts)
  const shownSteps = stepsOf(shown)
  const last = shownSteps.at(-1)
  if (!last) return parts.flatMap(chunksOf)
  const index = shownSteps.length - 1
  const later = steps.slice(index + 1).flat()
  return [...correct(steps[index] ?? [], last), ...later.flatMap(chunksOf)]
}

/** The parts of each step, with the mark that begins it. What stands before the first is in none. */
function stepsOf<P extends { type: string }>(parts: readonly P[]): P[][] {
  const steps: P[][] = []
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([part])
    else steps.at(-1)?.push(part)
  }
  return steps
}

function correct(step: readonly UiPart[], shown: readonly PostedPart[]): UiChunk[] {
  const parts = step.slice(1)
  if (!isWithin(shown.slice(1), parts)) return [{ type: 'reset-step' }, ...parts.flatMap(chunksOf)]
  return parts.flatMap((part) => {
    const known = shown.find((each) => isSame(each, part))
    if (!known || part.type === 'data-output') return chunksOf(part)
    return 'toolCallId' in part ? changeOf(part, known) : []
  })
}

/** Whether a page shows nothing that is not so: a text of which it has half, say, since it was stopped. */
function isWithin(shown: readonly PostedPart[], parts: readonly UiPart[]): boolean {
  return shown.every((each) => parts.some((part) => isSame(each, part)))
}

function isSame(shown: PostedPart, part: UiPart): boolean {
  if (shown.type !== part.type) return false
  if ('toolCallId' in part) return shown.toolCallId === part.toolCallId
  return part.type === 'data-output' || (part.type === 'text' && shown.text === part.text && shown.state === 'done')
}

function changeOf(part: ToolPart, shown: PostedPart): UiChunk[] {
  // An ask that is open may have been answered on the page since it posted: drawn anew, that would be gone.
  const isOpen = part.state === 'input-available' || part.state === 'approval-requested'
  if (isOpen && shown.state === part.state) return []
  return part.approval && !shown.approval ? chunksOf(part) : changeChunks(part)
}
