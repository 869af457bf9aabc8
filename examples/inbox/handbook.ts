import { agent } from 'querent'
import type { ScriptedTurn } from 'querent/testing'
import { actor, type Scene } from './scene.ts'

const topics: [RegExp, string][] = [
  [
    /holiday|vacation|leave|day off/i,
    `You have **30 days** of holiday a year, and they do not expire before the end of March.

1. Agree on the dates with your team; two people of a team of five should stay.
2. Enter them in the calendar *before* you book anything that cannot be given back.
3. For more than two weeks at a time, tell us three months ahead.

Sick days are never holidays: if you fall ill while you are away, you get the days back.`,
  ],
  [
    /expense|receipt|travel|train|flight/i,
    `Take the train where it takes less than six hours; second class up to two, first class above.

- Keep receipts above **€20**. A photo is enough.
- Meals are paid by flat rate: €14 for a day of at least eight hours, €28 for a whole one.
- Enter everything within 30 days, and it is on your account with the next salary.`,
  ],
]

const about = `I answer from the handbook, in whole sentences and without asking back. Two things people want to know most often:

- **Holidays.** 30 days a year, agreed on with your team.
- **Expenses.** Receipts above €20, entered within 30 days.

Ask me about either, and I tell you the rest. For everything that is not in the handbook, write to *people@example.com*.`

/** Just answers, word by word. */
function act({ said }: Scene): ScriptedTurn {
  return { text: topics.find(([pattern]) => pattern.test(said))?.[1] ?? about }
}

export const handbook = (pace: { wordMs: number }) =>
  agent('handbook', {
    description: 'Answers questions on holidays and expenses from the staff handbook.',
    model: actor(act, pace),
    instructions: 'You answer from the handbook.',
  })
