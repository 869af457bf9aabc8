import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['querent-source', 'node', 'import', 'module', 'default'], externalConditions: ['querent-source', 'node', 'import'] } },
  resolve: { conditions: ['querent-source', 'node', 'import', 'module', 'default'] },
  test: { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], testTimeout: 20_000 },
})
