import { setTimeout as wait } from 'node:timers/promises'
import { agent, tool } from 'querent'
import type { ScriptedTurn } from 'querent/testing'
import { z } from 'zod'
import { actor, outcomeOf, type Result, type Scene } from './scene.ts'

const readChanges = tool({
  name: 'read_changes',
  description: 'Reads what would be released.',
  input: z.object({ service: z.string() }),
  retrySafe: true,
  execute: () => ({ version: '2.14.0', commits: 18, migrations: 1, tests: 'passed' }),
})

const migrate = (ms: number) =>
  tool({
    name: 'run_migration',
    description: 'Runs a migration on the production database.',
    input: z.object({ database: z.string(), migration: z.string(), sql: z.string(), reversible: z.boolean() }),
    approval: true,
    execute: async (_, { signal }) => {
      await wait(ms, undefined, { signal })
      return 'Migration 0042 ran in 1.4 s; 312,408 rows were changed.'
    },
  })

const deploy = (ms: number) =>
  tool({
    name: 'deploy',
    description: 'Deploys a version to production.',
    input: z.object({ service: z.string(), version: z.string(), region: z.string(), strategy: z.string() }),
    approval: true,
    execute: async ({ version, region }, { signal }) => {
      await wait(ms, undefined, { signal })
      return `${version} serves all traffic in ${region}; 0.02 % of requests fail, as before.`
    },
  })

const findings = `**web-shop 2.14.0** is ready to go out: 18 commits, all checks green.

- Checkout remembers the delivery address.
- The search page is faster on phones (1.9 s → 0.8 s).
- One migration: \`orders.address_id\` is filled in and made required.

I need your leave for the migration and for the deploy. Both requests end in 30 minutes.`

const migration = {
  database: 'orders-primary',
  migration: '0042_require_address',
  sql: 'UPDATE orders SET address_id = users.default_address_id\n  FROM users WHERE users.id = orders.user_id AND orders.address_id IS NULL;\nALTER TABLE orders ALTER COLUMN address_id SET NOT NULL;',
  reversible: false,
}

/** Looks at what there is, then asks for leave twice in one turn, with a deadline. */
function act({ results }: Scene): ScriptedTurn {
  if (results.length === 0) return { calls: [{ tool: 'read_changes', input: { service: 'web-shop' } }] }
  const migrated = results.find(({ tool }) => tool === 'run_migration')
  const deployed = results.find(({ tool }) => tool === 'deploy')
  if (!migrated || !deployed) {
    const target = {
      service: 'web-shop',
      version: '2.14.0',
      region: 'eu-central-1',
      strategy: 'rolling, 25 % at a time',
    }
    return {
      text: findings,
      calls: [
        { tool: 'run_migration', input: migration },
        { tool: 'deploy', input: target },
      ],
    }
  }
  return {
    text: `${sentence('Migration', migrated)}\n\n${sentence('Deploy', deployed)}\n\n${advice(migrated, deployed)}`,
  }
}

function sentence(what: string, result: Result): string {
  if (result.refused)
    return `**${what}:** not done, as you wished.${result.reason ? ` I noted: “${result.reason}”.` : ''}`
  if (result.missing) return `**${what}:** not done. Nobody answered in time.`
  return `**${what}:** ${outcomeOf(result)}`
}

function advice(migrated: Result, deployed: Result): string {
  const [ran, went] = [migrated, deployed].map(({ refused, missing }) => !refused && !missing)
  if (ran && went) return 'The release is out. I will not touch anything else.'
  if (ran)
    return 'The old version works with the new column too, so nothing is urgent. Ask me again when you want to deploy.'
  if (went) return 'Version 2.14.0 writes the column itself; the old rows can be filled in later.'
  return 'Nothing was changed in production.'
}

export const releases = (pace: { wordMs: number }) =>
  agent('releases', {
    description: 'Ships the web shop: reads the changes, then asks before it touches production.',
    model: actor(act, pace),
    instructions: 'You release web-shop. Read the changes, then run the migration and deploy.',
    tools: [readChanges, migrate(pace.wordMs * 40), deploy(pace.wordMs * 70)],
    questions: true,
    limits: { steps: 20, ask: '30m' },
    onExpire: 'tell',
  })
