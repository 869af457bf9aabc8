import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, it } from 'vitest'

const maxScriptBytes = 180 * 1024

it('the inbox page is small, whatever NODE_ENV is, and its HTML keeps to its policy', async () => {
  const built = await build({ configFile: 'vite.inbox.config.ts', logLevel: 'silent', build: { write: false } })
  const [output] = [built].flat() as { output: { fileName: string; code?: string; source?: string | Uint8Array }[] }[]
  const files = output?.output ?? []
  const scripts = files.flatMap(({ code }) => code ?? [])
  const scriptBytes = scripts.reduce((sum, code) => sum + gzipSync(code).byteLength, 0)
  const script = scripts.join('')
  // Not the text itself: a megabyte of it tells nobody anything.
  expect(script.includes('/api/events'), 'it is our page').toBe(true)
  expect(script.includes('react.dev/link/invalid-aria-props'), 'React for development').toBe(false)
  expect(scriptBytes).toBeLessThanOrEqual(maxScriptBytes)
  const html = String(files.find(({ fileName }) => fileName === 'index.html')?.source)
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style|style=|data:|https?:\/\//)
  expect(
    files.filter(({ fileName }) => !/^(index\.html|licenses\.md|assets\/.+-[\w-]{8}\.(js|css|svg))$/.test(fileName)),
  ).toEqual([])
}, 120_000)
