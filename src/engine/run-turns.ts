import { type NextStep, nextStep, type Situation } from '../core/next-step.ts'
import { absorb } from './absorb.ts'
import { callModel } from './call-model.ts'
import { interruptCalls, startCalls } from './call-tool.ts'
import { deliverAnswers } from './deliver-answers.ts'
import { failRun, finishRun } from './end-run.ts'
import { planCalls } from './plan-calls.ts'
import { resolveAsks } from './resolve-asks.ts'
import type { RunSession } from './session.ts'

/** The built-in loop: decide, do, again, until the run is parked, over, or not ours any more. */
export async function runTurns(session: RunSession): Promise<void> {
  while (!session.over) {
    // Taken before looking: what changes while we decide must not be slept through.
    const change = session.nextChange()
    const step = decide(session)
    if (session.signal.aborted) return session.giveBack()
    if (session.draining && (step.do === 'model' || step.do === 'start')) {
      // What runs may come to its end; nothing new begins.
      if (session.running.size === 0) return session.giveBack()
      await change
    } else {
      await take(session, step, change)
    }
  }
}

function decide(session: RunSession): NextStep {
  return nextStep(session.state, situationOf(session))
}

/** What a decision needs besides the log. */
export function situationOf(session: RunSession): Situation {
  const { tools } = session.equipment
  return {
    mailed: session.mail.length > 0,
    running: session.running,
    planned: session.planned,
    traits: (call) => tools.get(call.tool) ?? { retrySafe: false, replays: false },
    limits: session.limits,
  }
}

async function take(session: RunSession, step: NextStep, change: Promise<void>): Promise<void> {
  switch (step.do) {
    case 'absorb':
      return absorb(session)
    case 'plan':
      return planCalls(session, step.calls)
    case 'resolve':
      return resolveAsks(session, step.asks)
    case 'start':
      return startCalls(session, step.calls)
    case 'interrupt':
      return interruptCalls(session, step.calls)
    case 'wait':
      if (session.hasEffects) await session.flush()
      else await change
      return
    case 'deliver':
      return deliverAnswers(session, step.turn)
    case 'model':
      // A tool's result is on disk before the model hears of it; and what came in meanwhile goes first.
      if (session.hasEffects) await session.flush()
      else await callModel(session, step.turn)
      return
    case 'park':
      return session.park()
    case 'finish':
      return finishRun(session, step.turn.text)
    case 'fail':
      return failRun(session, step.code, step.message)
  }
}
