import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** What `inboxPage` takes. */
export interface InboxPageOptions {
  /** Where the built page is. Default: in this package. Needed where a bundler has moved this code. */
  folder?: string | URL
}

/** A file of the page, ready to be sent. */
interface File {
  body: Uint8Array<ArrayBuffer>
  /** Where it is text that is worth it. */
  zipped?: Uint8Array<ArrayBuffer>
  type: string
}

interface Page {
  /** By the path of its URL. What is not in here is not served: no path leads out of the folder. */
  assets: Map<string, File>
  html: File
  etag: string
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** What a question says is a stranger's text: were it ever taken for code, nothing would run it or tell of it. */
const headers = {
  'Content-Security-Policy': [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
    ...["font-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Not no-referrer: with it some browsers send the writes of the page with the Origin "null".
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** The same in `src/` and in `dist/`. */
const builtFolder = new URL('../../dist/inbox/', import.meta.url)

/**
 * Serves the inbox page: for `createServer({ fallback })`, or mounted beside it at the root of the same origin. Any path
 * that names no file gives the page, which has routes of its own; those under `/api` are not its.
 */
export function inboxPage({ folder = builtFolder }: InboxPageOptions = {}): (request: Request) => Promise<Response> {
  const path = typeof folder === 'string' ? folder : fileURLToPath(folder)
  let reading: Promise<Page | undefined> | undefined
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api' || pathname.startsWith('/api/')) return plain(404, 'There is no API here.')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plain(405, 'This is a page: GET it.', { Allow: 'GET, HEAD' })
    }
    // Read while it is being built, it is not there either.
    reading ??= readPage(path).catch(() => undefined)
    const page = await reading
    if (page) return answer(page, pathname, request)
    // It may be built while this runs.
    reading = undefined
    return plain(503, 'The inbox page is not built: run "npm run build". The API is under /api.')
  }
}

function answer({ assets, html, etag }: Page, pathname: string, request: Request): Response {
  const asset = assets.get(pathname)
  // Their names have a digest of what is in them.
  const isHashed = pathname.startsWith('/assets/')
  const forEver = 'public, max-age=31536000, immutable'
  if (asset) return send(request, asset, { 'Cache-Control': isHashed ? forEver : 'no-cache' })
  if (isHashed) return plain(404, 'There is no such file. Reload the page: it was renewed.')
  const caching = { 'Cache-Control': 'no-cache', ETag: etag }
  if (request.headers.get('if-none-match')?.includes(etag)) {
    return new Response(null, { status: 304, headers: { ...headers, ...caching } })
  }
  return send(request, html, caching)
}

function send(request: Request, { body, zipped, type }: File, more: Record<string, string>): Response {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers.get('accept-encoding') ?? '')
  const sent = zipped && takesGzip ? zipped : body
  return new Response(request.method === 'HEAD' ? null : sent, {
    headers: {
      ...headers,
      ...more,
      'Content-Type': type,
      'Content-Length': String(sent.byteLength),
      ...(zipped ? { Vary: 'Accept-Encoding' } : {}),
      ...(sent === zipped ? { 'Content-Encoding': 'gzip' } : {}),
    },
  })
}

function plain(status: number, text: string, more: Record<string, string> = {}): Response {
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  return new Response(`${text}\n`, { status, headers: { ...headers, ...type, ...more } })
}

/** The files are few and small: all are read once. Nothing where the page was not built. */
async function readPage(folder: string): Promise<Page | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((): [] => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = await Promise.all(
    files.map(async (file) => [`/${relative(folder, file).replaceAll(sep, '/')}`, await readAsset(file)] as const),
  )
  const assets = new Map(read)
  const html = assets.get('/index.html')
  if (!html) return undefined
  assets.delete('/index.html')
  return { assets, html, etag: `"${createHash('sha256').update(html.body).digest('base64url').slice(0, 22)}"` }
}

async function readAsset(file: string): Promise<File> {
  const body = new Uint8Array(await readFile(file))
  const type = types[extname(file)] ?? 'application/octet-stream'
  if (!/^text\/(css|javascript)|svg/.test(type)) return { body, type }
  return { body, type, zipped: new Uint8Array(await promisify(gzip)(body)) }
}
