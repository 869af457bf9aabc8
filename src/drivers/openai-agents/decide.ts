import { canonical, defaultTexts, park, type Session, type ToolResult } from 'querent/extension'
import type { Decision, HeldCall } from './turn.ts'

/** How often a person may refuse one tool in a round before its calls are answered with an error. */
const maxRefusals = 3

/**
 * Has the person decide about every call that a turn was held at, all at once. Nothing: somebody must answer first.
 * `refused` has the calls they refused in this round, and is added to.
 */
export async function decideAbout(
  session: Session,
  held: HeldCall[],
  refused: HeldCall[],
): Promise<Decision[] | undefined> {
  const before = [...refused]
  const decisions = await Promise.all(
    held.map((call) => (call.question ? answerTo(session, call) : leaveFor(session, call, { before, refused }))),
  )
  const made = decisions.filter((decision) => decision !== undefined)
  return made.length === held.length ? made : undefined
}

/** A question is the engine's own tool: it is prepared, checked and guarded there as any other. */
async function answerTo(session: Session, { input }: HeldCall): Promise<Decision | undefined> {
  const result = await session.tool({ tool: 'question', input })
  return 'status' in result ? undefined : { approved: true, answer: toPlain(result) }
}

async function leaveFor(
  session: Session,
  call: HeldCall,
  { before, refused }: { before: HeldCall[]; refused: HeldCall[] },
): Promise<Decision | undefined> {
  const again = refusedBefore(call, before)
  if (again !== undefined) return { approved: false, message: again }
  const { onExpire, guards } = session.agent
  const asked = await session.ask(
    park({
      kind: 'approval',
      tool: call.tool,
      input: call.input,
      // No default answer stands for a person's leave to act.
      rule: { onExpire: typeof onExpire === 'object' ? 'refuse' : onExpire, guarded: guards.in.length > 0 },
    }),
    { step: 'tool' },
  )
  if (asked.status === 'parked') return undefined
  if (asked.end.outcome === 'approved') return { approved: true }
  if (asked.end.outcome === 'refused') refused.push(call)
  return { approved: false, message: asked.told ? toPlain(asked.told) : defaultTexts.refused }
}

/** Why a call is not asked again, if it is not: a model that asks for ever would wear the person down. */
function refusedBefore({ tool, input }: HeldCall, before: HeldCall[]): string | undefined {
  const ofTool = before.filter((each) => each.tool === tool)
  if (ofTool.some((each) => canonical(each.input) === canonical(input))) {
    return 'Not run and not asked again: the person refused this very call. Do something else, or ask what they want.'
  }
  if (ofTool.length < maxRefusals) return undefined
  return `Not run and not asked: the person refused "${tool}" ${ofTool.length} times. Do not call it before they write.`
}

/** A result as text for a model. */
export function toPlain(result: ToolResult): string {
  return result.type === 'json' ? JSON.stringify(result.value) : result.value
}
