/** A small tree that keeps every rule, and one file for each way to break one. */

/** What each layer may do, done once: the tools must find nothing here. */
export const clean: Record<string, string> = {
  'src/index.ts': `export { run } from './engine/run.ts'\nexport type { Store } from './store/store.ts'\n`,
  'src/extension.ts': `export type { Ask } from './core/ask.ts'\n`,
  'src/model.ts': `export type { Json } from './core/json.ts'\n`,
  'src/sqlite.ts': `export { open } from './store/sqlite/open.ts'\n`,
  'src/testing.ts': `export { fake } from './testing/fake.ts'\n`,
  'src/builtin.ts': `import { question } from './extensions/question/question.ts'\nexport const builtin = [question]\n`,
  'src/core/json.ts': `export type Json = string\n`,
  'src/core/ask.ts': `import type { StandardSchemaV1 } from '@standard-schema/spec'\nimport type { Json } from './json.ts'\nexport type Ask = { data: Json; schema: StandardSchemaV1 }\n`,
  'src/core/ambient.ts': `export const now = (): number => Date.now()\nexport const later = (call: () => void): unknown => setTimeout(call, 1)\n`,
  'src/store/store.ts': `import type { Ask } from '../core/ask.ts'\nexport interface Store { ask: Ask }\n`,
  'src/store/sqlite/open.ts': `import { DatabaseSync } from 'node:sqlite'\nexport const open = (path: string): DatabaseSync => new DatabaseSync(path)\n`,
  'src/store/postgres/open.ts': `export const postgres = 1\n`,
  'src/shape/check.ts': `import type { Json } from '../core/json.ts'\nexport const check = (data: Json): boolean => data !== ''\n`,
  'src/engine/run.ts': `import { hostname } from 'node:os'\nimport type { Store } from '../store/store.ts'\nimport { check } from '../shape/check.ts'\nexport const run = (store: Store): unknown => [store, check(hostname())]\n`,
  'src/extensions/question/spec.ts': `export const spec = 1\n`,
  'src/extensions/question/question.ts': `import type { Ask } from 'querent/extension'\nimport { spec } from './spec.ts'\nexport const question = (ask: Ask): unknown => [ask, spec]\n`,
  'src/models/ai-sdk/model.ts': `import { streamText } from 'ai'\nimport type { Json } from 'querent/model'\nexport const model = (json: Json): unknown => [json, streamText]\n`,
  'src/drivers/openai-agents/drive.ts': `import { AsyncLocalStorage } from 'node:async_hooks'\nimport { Agent } from '@openai/agents'\nimport type { Ask } from 'querent/extension'\nexport const drive = (ask: Ask): unknown => [ask, Agent, AsyncLocalStorage]\n`,
  'src/notifiers/webhook/webhook.ts': `import { createHmac } from 'node:crypto'\nimport type { Ask } from 'querent/extension'\nexport const webhook = (ask: Ask): unknown => [ask, createHmac]\n`,
  'src/telemetry/spans.ts': `import { trace } from '@opentelemetry/api'\nimport type { Ask } from '../core/ask.ts'\nexport const spans = (ask: Ask): unknown => [ask, trace]\n`,
  'src/protocol/wire.ts': `import type { Ask } from '../core/ask.ts'\nexport type Wire = Ask\n`,
  'src/client/client.ts': `import type { Wire } from '../protocol/wire.ts'\nexport const client = (wire: Wire): Wire => wire\n`,
  'src/react/hook.ts': `import type { Wire } from '../protocol/wire.ts'\nimport { client } from '../client/client.ts'\nexport const hook = (wire: Wire): Wire => client(wire)\n`,
  'src/ask-form/form.ts': `import type { Wire } from '../protocol/wire.ts'\nexport const form = (wire: Wire): Wire => wire\n`,
  'src/inbox/page.ts': `import { form } from '../ask-form/form.ts'\nimport { hook } from '../react/hook.ts'\nexport const page = [form, hook]\n`,
  'src/testing/fake.ts': `import type { Store } from '../store/store.ts'\nexport const fake = (store: Store): Store => store\n`,
  'src/cli/main.ts': `import { Command } from 'commander'\nimport { builtin } from '../builtin.ts'\nexport const main = (): unknown => [new Command(), builtin]\n`,
  'src/engine/run.test.ts': `import { open } from '../store/sqlite/open.ts'\nimport { run } from './run.ts'\nexport const tested = [open, run, Date.now()]\n`,
}

/** Imports that point outwards, by the rule that must name them: a file for each, and what stands in it. */
export const badImports: [rule: string, path: string, body: string][] = [
  [
    'core-looks-outwards',
    'src/core/bad.ts',
    `import type { Store } from '../store/store.ts'\nexport type Bad = Store\n`,
  ],
  ['core-is-pure', 'src/core/bad-io.ts', `import { readFileSync } from 'node:fs'\nexport const bad = readFileSync\n`],
  ['core-is-pure', 'src/core/bad-package.ts', `import { z } from 'zod'\nexport const bad = z\n`],
  ['store-looks-outwards', 'src/store/bad.ts', `import { run } from '../engine/run.ts'\nexport const bad = run\n`],
  [
    'store-names-no-adapter',
    'src/store/bad-adapter.ts',
    `import { open } from './sqlite/open.ts'\nexport const bad = open\n`,
  ],
  [
    'adapters-are-strangers',
    'src/store/postgres/bad.ts',
    `import { open } from '../sqlite/open.ts'\nexport const bad = open\n`,
  ],
  [
    'node-sqlite-has-an-owner',
    'src/store/postgres/bad-sqlite.ts',
    `import { DatabaseSync } from 'node:sqlite'\nexport const bad = DatabaseSync\n`,
  ],
  ['shape-looks-outwards', 'src/shape/bad.ts', `import { run } from '../engine/run.ts'\nexport const bad = run\n`],
  [
    'engine-looks-outwards',
    'src/engine/bad-adapter.ts',
    `import { open } from '../store/sqlite/open.ts'\nexport const bad = open\n`,
  ],
  [
    'engine-looks-outwards',
    'src/engine/bad-question.ts',
    `import { spec } from '../extensions/question/spec.ts'\nexport const bad = spec\n`,
  ],
  [
    'engine-looks-outwards',
    'src/engine/bad-model.ts',
    `const bad = await import('../models/ai-sdk/model.ts')\nexport { bad }\n`,
  ],
  [
    'builtin-has-one-door',
    'src/engine/bad-builtin.ts',
    `import { builtin } from '../builtin.ts'\nexport const bad = builtin\n`,
  ],
  ['ai-sdk-has-an-owner', 'src/engine/bad-sdk.ts', `import type { ToolSet } from 'ai'\nexport type Bad = ToolSet\n`],
  [
    'extensions-know-only-their-seam',
    'src/extensions/question/bad-core.ts',
    `import type { Ask } from '../../core/ask.ts'\nexport type Bad = Ask\n`,
  ],
  [
    'extensions-know-only-their-seam',
    'src/extensions/approval/bad-sibling.ts',
    `import { spec } from '../question/spec.ts'\nexport const bad = spec\n`,
  ],
  [
    'extensions-know-only-their-seam',
    'src/extensions/approval/bad-model.ts',
    `import type { Json } from 'querent/model'\nexport type Bad = Json\n`,
  ],
  [
    'extensions-import-by-package-name',
    'src/extensions/question/bad-path.ts',
    `import type { Ask } from '../../extension.ts'\nexport type Bad = Ask\n`,
  ],
  [
    'models-know-only-their-seam',
    'src/models/ai-sdk/bad-core.ts',
    `import type { Json } from '../../core/json.ts'\nexport type Bad = Json\n`,
  ],
  [
    'models-import-by-package-name',
    'src/models/ai-sdk/bad-path.ts',
    `import type { Json } from '../../model.ts'\nexport type Bad = Json\n`,
  ],
  [
    'drivers-know-only-their-seam',
    'src/drivers/openai-agents/bad-core.ts',
    `import type { Ask } from '../../core/ask.ts'\nexport type Bad = Ask\n`,
  ],
  [
    'drivers-know-only-their-seam',
    'src/drivers/openai-agents/bad-io.ts',
    `import { readFileSync } from 'node:fs'\nexport const bad = readFileSync\n`,
  ],
  [
    'drivers-import-by-package-name',
    'src/drivers/openai-agents/bad-path.ts',
    `import type { Ask } from '../../extension.ts'\nexport type Bad = Ask\n`,
  ],
  [
    'openai-agents-has-an-owner',
    'src/engine/bad-agents.ts',
    `import { Agent } from '@openai/agents'\nexport const bad = Agent\n`,
  ],
  [
    'notifiers-know-only-their-seam',
    'src/notifiers/webhook/bad-core.ts',
    `import type { Ask } from '../../core/ask.ts'\nexport type Bad = Ask\n`,
  ],
  [
    'notifiers-import-by-package-name',
    'src/notifiers/webhook/bad-path.ts',
    `import type { Ask } from '../../extension.ts'\nexport type Bad = Ask\n`,
  ],
  [
    'telemetry-looks-outwards',
    'src/telemetry/bad.ts',
    `import { run } from '../engine/run.ts'\nexport const bad = run\n`,
  ],
  [
    'opentelemetry-has-an-owner',
    'src/engine/bad-spans.ts',
    `import { trace } from '@opentelemetry/api'\nexport const bad = trace\n`,
  ],
  [
    'protocol-looks-outwards',
    'src/protocol/bad.ts',
    `import { run } from '../engine/run.ts'\nexport const bad = run\n`,
  ],
  [
    'server-looks-outwards',
    'src/server/bad.ts',
    `import { open } from '../store/sqlite/open.ts'\nexport const bad = open\n`,
  ],
  ['client-looks-outwards', 'src/client/bad.ts', `import { run } from '../engine/run.ts'\nexport const bad = run\n`],
  ['react-looks-outwards', 'src/react/bad.ts', `import { form } from '../ask-form/form.ts'\nexport const bad = form\n`],
  [
    'ask-form-looks-outwards',
    'src/ask-form/bad.ts',
    `import { client } from '../client/client.ts'\nexport const bad = client\n`,
  ],
  [
    'inbox-looks-outwards',
    'src/inbox/bad.ts',
    `import { question } from '../extensions/question/question.ts'\nexport const bad = question\n`,
  ],
  [
    'testing-looks-outwards',
    'src/testing/bad.ts',
    `import { open } from '../store/sqlite/open.ts'\nexport const bad = open\n`,
  ],
  [
    'tests-name-no-extension',
    'src/engine/bad.test.ts',
    `import { question } from '../extensions/question/question.ts'\nexport const bad = question\n`,
  ],
  ['ships-no-test', 'src/engine/bad-test.ts', `import { tested } from './run.test.ts'\nexport const bad = tested\n`],
  ['ships-no-dev-package', 'src/engine/bad-dev.ts', `import fc from 'fast-check'\nexport const bad = fc\n`],
  ['not-found', 'src/engine/bad-missing.ts', `import { gone } from './gone.ts'\nexport const bad = gone\n`],
  ['circle', 'src/core/bad-circle.ts', `import type { There } from './bad-there.ts'\nexport type Here = There | 1\n`],
  ['unknown-folder', 'src/utils/bad.ts', `export const bad = 1\n`],
  ['inline-type-import', 'src/core/bad-inline.ts', `export type Bad = import('../store/store.ts').Store\n`],
  ['entry-does-more', 'src/react.ts', `export const bad = 1\n`],
  ['entry-does-more', 'src/client.ts', `export * from './client/client.ts'\n`],
]

/** The other half of the circle: it is found from either side. */
export const accomplices: Record<string, string> = {
  'src/core/bad-there.ts': `import type { Here } from './bad-circle.ts'\nexport type There = Here | 2\n`,
}

const body = (lines: number) => `${'  work()\n'.repeat(lines)}`

/** Code that a linter must refuse, by the rule that must name it. */
export const badCode: [rule: string, path: string, body: string][] = [
  ['plugin', 'src/engine/bad-now.ts', `export const bad = Date.now()\n`],
  ['plugin', 'src/engine/bad-date.ts', `export const bad = new Date()\n`],
  ['plugin', 'src/engine/bad-random.ts', `export const bad = Math.random()\n`],
  ['plugin', 'src/engine/bad-uuid.ts', `export const bad = crypto.randomUUID()\n`],
  ['plugin', 'src/engine/bad-global.ts', `export const bad = globalThis.setTimeout(() => {}, 1)\n`],
  ['noRestrictedGlobals', 'src/engine/bad-timeout.ts', `export const bad = setTimeout(() => {}, 1)\n`],
  ['noRestrictedGlobals', 'src/engine/bad-interval.ts', `export const bad = setInterval(() => {}, 1)\n`],
  ['noRestrictedGlobals', 'src/engine/bad-immediate.ts', `export const bad = setImmediate(() => {})\n`],
  [
    'noRestrictedImports',
    'src/engine/bad-timers.ts',
    `import { setTimeout } from 'node:timers/promises'\nexport const bad = setTimeout\n`,
  ],
  [
    'noRestrictedImports',
    'src/engine/bad-crypto.ts',
    `import { randomUUID } from 'node:crypto'\nexport const bad = randomUUID\n`,
  ],
  ['noExplicitAny', 'src/engine/bad-any.ts', `export const bad: any = 1\n`],
  ['noTsIgnore', 'src/engine/bad-ignore.ts', `// @ts-ignore\nexport const bad: string = 1\n`],
  [
    'noExcessiveLinesPerFunction',
    'src/engine/bad-long.ts',
    `declare function work(): void\nexport function bad(): void {\n${body(61)}}\n`,
  ],
  [
    'noExcessiveLinesPerFile',
    'src/engine/bad-file.ts',
    `declare function work(): void\n${body(401).replaceAll('  ', '')}export { work }\n`,
  ],
]

/** Promises that nobody waits for, ours, a package's and Node's own. */
export const badPromises: [path: string, body: string][] = [
  ['src/engine/bad-own.ts', `async function work(): Promise<void> {}\nexport function bad(): void {\n  work()\n}\n`],
  ['src/engine/bad-node.ts', `import { rm } from 'node:fs/promises'\nexport function bad(): void {\n  rm('x')\n}\n`],
  ['src/engine/bad-method.ts', `export function bad(store: { close(): Promise<void> }): void {\n  store.close()\n}\n`],
  [
    'src/engine/bad-package.ts',
    `import { generateText } from 'ai'\nexport function bad(options: Parameters<typeof generateText>[0]): void {\n  generateText(options)\n}\n`,
  ],
  [
    'src/engine/bad-callback.ts',
    `export function bad(each: number[]): void {\n  each.forEach(async (one) => {\n    await Promise.resolve(one)\n  })\n}\n`,
  ],
]
