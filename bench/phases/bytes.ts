import type { Phase } from '../phase.ts'

/** Bytes on disk of a run that waits, and of one that is over; in one place with `runs` of them. */
export const bytes: Phase<'runs'> = async ({ openTwo, bytes }, { runs }) => {
  // One of them before, so that what a system makes once is not counted.
  const before = await openTwo()
  await before.second.answer(await before.first.start(), 1)
  await before.close()
  const emptyBytes = await bytes()

  const parking = await openTwo()
  const parked: string[] = []
  for (let i = 0; i < runs; i++) parked.push(await parking.first.start())
  await parking.close()
  const parkedBytes = await bytes()

  const answering = await openTwo()
  for (const run of parked) await answering.second.answer(run, 1)
  await answering.close()
  const doneBytes = await bytes()
  return { perParked: (parkedBytes - emptyBytes) / runs, perDone: (doneBytes - emptyBytes) / runs }
}
