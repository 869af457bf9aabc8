import { defineConfig } from 'vite'

/** The inbox page: its sources and the packages that only developers have become the files that the server serves. */
export default defineConfig({
  root: 'src/inbox',
  base: '/',
  logLevel: 'warn',
  resolve: { conditions: ['querent-source', 'browser', 'module', 'import', 'default'] },
  build: {
    outDir: '../../dist/inbox',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy takes no `data:` but for images, and no script that stands in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
