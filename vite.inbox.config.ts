import { defineConfig } from 'vite'

/** The inbox page: its sources and the packages that only developers have become the files that the server serves. */
export default defineConfig({
  root: 'src/inbox',
  base: '/',
  logLevel: 'warn',
  // Whatever NODE_ENV is where it is built: the page that is shipped has React as people run it.
  define: { 'process.env.NODE_ENV': '"production"' },
  resolve: { conditions: ['querent-source', 'browser', 'module', 'import', 'default'] },
  build: {
    outDir: '../../dist/inbox',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    target: 'es2023',
    // The content security policy takes no `data:` but for images, and no script that stands in the page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
