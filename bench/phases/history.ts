import { median } from '../figures.ts'
import { type Phase, timed } from '../phase.ts'

/** One run that asks again and again: what its last cycles take against its first, and its bytes for each ask. */
export const history: Phase<'window'> = async ({ openTwo, bytes, script }, { window }) => {
  // A first run brings code and file to the size they have in the second.
  const before = await openTwo()
  await askAll(before)
  await before.close()
  const beforeBytes = await bytes()
  const handles = await openTwo()
  const cyclesMs = await askAll(handles)
  await handles.close()
  const firstMs = median(cyclesMs.slice(0, window))
  const lastMs = median(cyclesMs.slice(-window))
  return { firstMs, lastMs, lastByFirst: lastMs / firstMs, bytesPerAsk: ((await bytes()) - beforeBytes) / script.asks }

  async function askAll({ first, second }: Awaited<ReturnType<typeof openTwo>>): Promise<number[]> {
    const run = await first.start()
    const times: number[] = []
    for (let nth = 1; nth <= script.asks; nth++) times.push(await timed(() => second.answer(run, nth)))
    return times
  }
}
