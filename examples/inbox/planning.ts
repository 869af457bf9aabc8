import { agent } from 'querent'
import type { ScriptedTurn } from 'querent/testing'
import { actor, type Scene } from './scene.ts'

const question = `## What should the team fund next quarter?

You have **14 engineer-weeks**. I read the last three retrospectives, 212 support tickets and the error budget, and came up with six proposals. Choose the ones you want; I schedule them in the order of their return.

### What I found

- Support spends **31 %** of its time on questions that the help page could answer.
- Two of the last five incidents began with the *same* missing index.
- Sign-ups from phones leave at the address form: 1 in 4 does not come back.

### What I could not find out

1. Whether the new price list is final. If it moves again, \`billing-v2\` will have to wait.
2. How many customers still use the old export. The logs only go back 30 days.

> The numbers are from the dashboard of last Friday; see the [method](https://example.com/method) behind them.

You may choose several, and write what is missing from the list.`

const proposals = [
  { label: 'Help page with search', description: '3 weeks · about 60 tickets a month fewer' },
  { label: 'Index review', description: '1 week · ends the most frequent kind of incident' },
  { label: 'Address form for phones', description: '4 weeks · +2 % sign-ups, by the test of March' },
  { label: 'billing-v2', description: '6 weeks · needs the final price list' },
  { label: 'Export to the new format', description: '2 weeks · the old one ends in autumn' },
  { label: 'Nightly restore test', description: '2 weeks · no visible change, better sleep' },
]

const weeks: Record<string, number> = {
  'Help page with search': 3,
  'Index review': 1,
  'Address form for phones': 4,
  'billing-v2': 6,
  'Export to the new format': 2,
  'Nightly restore test': 2,
}

/** One long question, of which several answers and a text of one's own may be given. */
function act({ results: [chosen] }: Scene): ScriptedTurn {
  if (!chosen) {
    const input = { question, choices: proposals, multi: true, other: true }
    return {
      text: 'I have read everything. Before I write the plan I need a decision.',
      calls: [{ tool: 'question', input }],
    }
  }
  if (chosen.refused) return { text: `No plan, then.${chosen.reason ? ` I keep in mind: “${chosen.reason}”.` : ''}` }
  const { selected, other } = readAnswer(chosen.value)
  const needed = selected.reduce((sum, label) => sum + (weeks[label] ?? 0), 0)
  const lines = selected.map((label, index) => `${index + 1}. ${label} (${counted(weeks[label] ?? 0)})`)
  const own = other === undefined ? '' : `\n\nYour own proposal, “${other}”, I will estimate by Friday.`
  const sum =
    needed > 14
      ? `That is ${counted(needed - 14)} too many: the last one waits.`
      : `Still free: ${counted(14 - needed)}.`
  return { text: `### The plan\n\n${lines.join('\n')}\n\n${needed} of 14 engineer-weeks. ${sum}${own}` }
}

function counted(weeks: number): string {
  return weeks === 1 ? '1 week' : `${weeks} weeks`
}

function readAnswer(value: unknown): { selected: string[]; other?: string } {
  return Array.isArray(value) ? { selected: value } : (value as { selected: string[]; other: string })
}

export const planning = (pace: { wordMs: number }) =>
  agent('planning', {
    description: 'Reads what the quarter brought, and asks you what to fund next.',
    model: actor(act, pace),
    instructions: 'You plan the quarter. Ask once which proposals to fund.',
    questions: true,
    limits: { steps: 20, ask: '7d' },
  })
