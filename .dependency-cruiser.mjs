/**
 * Who may import whom. Imports point inwards; `npm run check` holds every import to this table, type-only ones too, and
 * there is no list of exemptions. To see the table work: test/package/layers.test.ts plants one violation of each kind.
 */

/** Folders under src/, and what of src/ each may import besides itself. `seam`: see below. `all`: everything that ships. */
export const layers = {
  core: [],
  store: ['^src/core/'],
  shape: ['^src/core/'],
  engine: ['^src/core/', '^src/store/store\\.ts$', '^src/shape/'],
  extensions: 'seam',
  models: 'seam',
  drivers: 'seam',
  notifiers: 'seam',
  telemetry: ['^src/core/'],
  protocol: ['^src/core/'],
  server: ['^src/engine/', '^src/protocol/'],
  client: ['^src/protocol/'],
  react: ['^src/client/', '^src/protocol/'],
  'ask-form': ['^src/protocol/'],
  inbox: ['^src/ask-form/', '^src/react/', '^src/client/', '^src/protocol/'],
  testing: ['^src/core/', '^src/store/store\\.ts$'],
  cli: 'all',
}

/** Packages and Node's own modules that belong to some folders alone: what to import, and from where only. */
const owners = {
  'node-sqlite': ['^(node:)?sqlite$', '^src/store/sqlite/'],
  postgres: ['node_modules/pg/', '^src/store/postgres/'],
  kysely: ['node_modules/kysely/', '^src/store/kysely\\.ts$'],
  'schema-library': ['node_modules/(json-schema-library|re2js)/', '^src/shape/'],
  'openai-agents': ['node_modules/@openai/', '^src/drivers/openai-agents/'],
  'ai-sdk': ['node_modules/(ai|@ai-sdk/[^/]+)/', '^src/models/ai-sdk/'],
  hono: ['node_modules/(hono|@hono/[^/]+)/', '^src/(server|protocol|cli)/'],
  zod: ['node_modules/zod/', '^src/server/'],
  jose: ['node_modules/jose/', '^src/server/'],
  react: ['node_modules/(react|react-dom|wouter)/', '^src/(react|ask-form|inbox)/'],
  markdown: ['node_modules/(mdast|micromark)', '^src/inbox/'],
  opentelemetry: ['node_modules/@opentelemetry/', '^src/telemetry/'],
  terminal: ['node_modules/(commander|@clack/[^/]+)/', '^src/cli/'],
}

const tests = '\\.test\\.tsx?$'

/** A rule about code that ships: unit tests may use what they like, within `tests-name-no-extension`. */
const forbid = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: tests, ...from },
  to,
})

const layerRules = Object.entries(layers)
  .filter(([, allowed]) => Array.isArray(allowed))
  .map(([layer, allowed]) =>
    forbid(
      `${layer}-looks-outwards`,
      `src/${layer}/ may import itself${allowed.length ? ` and ${allowed.join(', ')}` : ''}, nothing else of src/.`,
      { path: `^src/${layer}/` },
      { path: '^src/', pathNot: [`^src/${layer}/`, ...allowed] },
    ),
  )

const ownerRules = Object.entries(owners).map(([name, [path, owner]]) =>
  forbid(
    `${name}-has-an-owner`,
    `Only ${owner} may import ${path}.`,
    { path: '^src/', pathNot: [tests, owner] },
    { path },
  ),
)

/** Extensions, models, drivers and notifiers see their seam by the package's own name, as a stranger's do, so that one ejects by a folder copy. */
const seam = (folder, entry, packages) => [
  forbid(
    `${folder}-know-only-their-seam`,
    `A folder of src/${folder}/ may import itself and querent/${entry}${packages ? `, ${packages}` : ''}.`,
    { path: `^src/${folder}/([^/]+)/` },
    { pathNot: [`^src/${folder}/$1/`, `^src/${entry}\\.ts$`, ...(packages ? [packages] : [])] },
  ),
  forbid(
    `${folder}-import-by-package-name`,
    `Write 'querent/${entry}', not a relative path.`,
    { path: `^src/${folder}/` },
    { path: `^src/${entry}\\.ts$`, dependencyTypes: ['local'] },
  ),
]

const builtin = '^src/builtin\\.ts$'

export default {
  forbidden: [
    ...layerRules,
    ...ownerRules,
    ...seam('extensions', 'extension'),
    ...seam('models', 'model', 'node_modules/(ai|@ai-sdk/[^/]+)/'),
    ...seam('drivers', 'extension', 'node_modules/@openai/agents/|^(node:)?async_hooks$'),
    ...seam('notifiers', 'extension', '^(node:)?crypto$'),
    forbid(
      'core-is-pure',
      'src/core/ does no I/O and needs no package, save for the types of Standard Schema.',
      { path: '^src/core/' },
      { pathNot: ['^src/', 'node_modules/@standard-schema/spec/'] },
    ),
    forbid(
      'store-names-no-adapter',
      'What the adapters share must not know one of them.',
      { path: '^src/store/', pathNot: [tests, '^src/store/(sqlite|postgres)/'] },
      { path: '^src/store/(sqlite|postgres)/' },
    ),
    forbid(
      'adapters-are-strangers',
      'One adapter must not know another.',
      { path: '^src/store/(sqlite|postgres)/' },
      { path: '^src/store/(sqlite|postgres)/', pathNot: '^src/store/$1/' },
    ),
    forbid(
      'builtin-has-one-door',
      'Only an entry file and the command line may know the built-in extensions.',
      { path: '^src/[^/]+/', pathNot: [tests, '^src/cli/'] },
      { path: builtin },
    ),
    {
      name: 'tests-name-no-extension',
      comment: 'Unit tests outside of an extension must pass when its folder is removed. Others live in test/.',
      severity: 'error',
      from: { path: `^src/(?!extensions/|cli/|builtin).*${tests}` },
      to: { path: ['^src/extensions/', builtin] },
    },
    forbid('ships-no-test', 'Code that ships must not import a test.', { path: '^src/' }, { path: tests }),
    forbid(
      'ships-no-dev-package',
      'A package that only developers have is missing on the machine of a user. The page is shipped bundled, and so is Kysely.',
      { path: '^src/', pathNot: [tests, '^src/inbox/', '^src/store/kysely\\.ts$'] },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'],
      },
    ),
    { name: 'circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'not-found', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    // TypeScript 7 has no API for the cruiser; without another parser it reports "no violations" of 0 modules.
    parser: 'swc',
    // Type-only imports are imports: they too make circles and pull a layer outwards.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['querent-source', 'types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.d.ts', '.json'],
    },
  },
}
