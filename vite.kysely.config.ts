import { defineConfig } from 'vite'

/** `src/store/kysely.ts` with as much of the package as it names, in one file. */
export default defineConfig({
  logLevel: 'warn',
  // Its comments name the files it is made of: as they lie here, not where a link leads on the machine that builds.
  resolve: { conditions: ['module', 'import', 'default'], preserveSymlinks: true },
  build: {
    lib: { entry: 'src/store/kysely.ts', formats: ['es'], fileName: () => 'kysely.js' },
    emptyOutDir: false,
    copyPublicDir: false,
    license: { fileName: 'kysely.license.md' },
    target: 'es2023',
  },
})
