import { build } from 'vite'

/** Answers for a page: its HTML at every path that is no file of it. For `createServer(engine, { fallback })`. */
export type Page = (request: Request) => Response

/** No inline script, no eval, no other site: what holds under this holds under any policy that a builder has. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'"

/**
 * Bundles a page from its script, with the development build of React: it warns, and StrictMode mounts twice. The page has
 * a `<div id="root">`, and what the script imports of CSS.
 */
export async function bundle(script: string): Promise<Page> {
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    mode: 'development',
    logLevel: 'error',
    resolve: { conditions: ['querent-source', 'module', 'browser', 'development'] },
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { write: false, minify: false, modulePreload: false, rolldownOptions: { input: script } },
  })
  const [output] = [built].flat() as {
    output: { fileName: string; code?: string; source?: string | Uint8Array<ArrayBuffer> }[]
  }[]
  const files = new Map((output?.output ?? []).map((file) => [`/${file.fileName}`, file.code ?? file.source ?? '']))
  const html = htmlOf([...files.keys()])
  return (request) => {
    const { pathname } = new URL(request.url)
    const file = files.get(pathname)
    const type = file === undefined ? 'text/html' : pathname.endsWith('.css') ? 'text/css' : 'text/javascript'
    return new Response(file === undefined ? html : file, {
      headers: {
        'Content-Type': `${type}; charset=utf-8`,
        'Content-Security-Policy': policy,
        'Cache-Control': 'no-store',
      },
    })
  }
}

function htmlOf(paths: string[]): string {
  const styles = paths.filter((path) => path.endsWith('.css')).map((path) => `<link rel="stylesheet" href="${path}">`)
  const scripts = paths
    .filter((path) => path.endsWith('.js'))
    .map((path) => `<script type="module" src="${path}"></script>`)
  // Else a browser asks for /favicon.ico, and is given this page.
  const icon = '<link rel="icon" href="data:,">'
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Page</title>${icon}${styles.join('')}</head>
<body><div id="root"></div>${scripts.join('')}</body></html>`
}
