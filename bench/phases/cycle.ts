import { percentile } from '../figures.ts'
import { type Phase, timed } from '../phase.ts'

/**
 * The work of the table: start, ask, park, answer through the second handle, end. `warmUp` cycles first, then `alone` one
 * after another, then `together` at `width` at once.
 */
export const cycle: Phase<'warmUp' | 'alone' | 'together' | 'width'> = async (
  { openTwo, script },
  { warmUp, alone, together, width },
) => {
  const { first, second, close } = await openTwo()
  const once = async () => {
    const run = await first.start()
    await second.answer(run, 1)
  }
  for (let i = 0; i < warmUp; i++) await once()
  const aloneMs: number[] = []
  for (let i = 0; i < alone; i++) aloneMs.push(await timed(once))
  const togetherMs = await timed(() => atOnce({ total: together, width }, once))
  const rssMb = process.memoryUsage.rss() / 1e6
  await close()
  const cycles = warmUp + alone + together
  if (script.calls !== 2 * cycles) throw new Error(`${cycles} cycles called the model ${script.calls} times.`)
  return {
    p50Ms: percentile(aloneMs, 0.5),
    p95Ms: percentile(aloneMs, 0.95),
    perSecond: together / (togetherMs / 1000),
    rssMb,
  }
}

async function atOnce({ total, width }: { total: number; width: number }, once: () => Promise<void>): Promise<void> {
  let left = total
  const lane = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: width }, lane))
}
