import type { Phase } from '../phase.ts'

/** Two answers to one question at the same moment, through two handles: how often the model was called for them. */
export const rivals: Phase<'runs'> = async ({ openTwo, script }, { runs }) => {
  const { first, second, close } = await openTwo()
  let accepted = 0
  let calls = 0
  for (let i = 0; i < runs; i++) {
    const run = await first.start()
    const before = script.calls
    const ends = await Promise.allSettled([first.answer(run, 1), second.answer(run, 1)])
    accepted += ends.filter((end) => end.status === 'fulfilled').length
    calls += script.calls - before
  }
  await close()
  return { callsPerQuestion: calls / runs, acceptedPerQuestion: accepted / runs }
}
