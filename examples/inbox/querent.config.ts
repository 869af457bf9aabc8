/**
 * The agents of `npm start`, with scripts in place of models: no key is needed. `INBOX_DATABASE` names another file than
 * the one beside this, `INBOX_WORD_MS` another pace at which they speak (0: at once).
 */
import { mkdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { defineConfig } from 'querent'
import { sqlite } from 'querent/sqlite'
import { handbook } from './handbook.ts'
import { planning } from './planning.ts'
import { releases } from './releases.ts'
import { shirts } from './shirts.ts'
import { trips } from './trips.ts'

const { INBOX_DATABASE = `${import.meta.dirname}/data/inbox.db`, INBOX_WORD_MS = '35' } = process.env
const path = resolve(INBOX_DATABASE)
mkdirSync(dirname(path), { recursive: true })
console.error(`Runs are kept in ${relative('.', path)}; remove it to begin anew.`)

const pace = { wordMs: Number(INBOX_WORD_MS) }

export default defineConfig({
  agents: [shirts(pace), releases(pace), ...trips(pace), planning(pace), handbook(pace)],
  store: sqlite(path),
})
