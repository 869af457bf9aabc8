import { percentile } from '../figures.ts'
import { type Figures, type Phase, timed } from '../phase.ts'

/** The system's own list of what waits for the person, with `runs` of theirs parked. No figures: it has none. */
export const listing: Phase<'runs' | 'times'> = async ({ openTwo }, { runs, times }): Promise<Figures> => {
  const { first, second, close } = await openTwo()
  const { list } = second
  if (!list) {
    await close()
    return {}
  }
  for (let i = 0; i < runs; i++) await first.start()
  const found = await list()
  const listMs: number[] = []
  for (let i = 0; i < times; i++) listMs.push(await timed(list))
  await close()
  return { found, listMs: percentile(listMs, 0.5) }
}
