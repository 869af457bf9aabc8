/**
 * The chaos suite in its long form: `npm run chaos -- [--seed N] [--runs N] [--times N]`. Says what it does, and what it
 * found; ends with 1 where anything is wrong.
 */
import { parseArgs } from 'node:util'
import { type Chaos, liveInChaos } from '../test/chaos/chaos.ts'
import { checks, figuresOf } from '../test/chaos/checks.ts'

const long = { runs: 200, kills: 40, freezes: 8, restarts: 2 }

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    times: { type: 'string', default: '1' },
    runs: { type: 'string', default: String(long.runs) },
    kills: { type: 'string', default: String(long.kills) },
    freezes: { type: 'string', default: String(long.freezes) },
    restarts: { type: 'string', default: String(long.restarts) },
  },
})
const [runs, kills, freezes, restarts] = [values.runs, values.kills, values.freezes, values.restarts].map(Number)

for (let time = 0; time < Number(values.times); time += 1) {
  const seed = Number(values.seed) + time
  console.log(`seed ${seed}`)
  const startedAt = Date.now()
  const say = (line: string) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`)
  const outcome = await liveInChaos({ seed, runs, kills, freezes, restarts, say } as Chaos)
  for (const [what, count] of Object.entries(figuresOf(outcome))) console.log(`${String(count).padStart(6)}  ${what}`)
  const byNotice = Map.groupBy(outcome.notices, ({ what }) => what.slice(0, 160))
  for (const [what, all] of byNotice) console.log(`${String(all.length).padStart(6)}  noticed: ${what}`)
  for (const [name, check] of Object.entries(checks)) {
    const faults = check(outcome)
    console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'} ${name}`)
    for (const fault of faults.slice(0, 5)) console.log(`       ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  }
}
