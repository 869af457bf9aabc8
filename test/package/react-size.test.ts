import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, it } from 'vitest'

const maxBytes = 8 * 1024

it('the hooks are small, without React, and need nothing of the client or of Node', async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['querent-source'] },
    build: {
      write: false,
      minify: true,
      lib: { entry: 'src/react.ts', formats: ['es'] },
      rolldownOptions: { external: /^react/ },
    },
  })
  const [output] = [built].flat() as { output: { code: string; imports: string[] }[] }[]
  expect(output?.output).toHaveLength(1)
  const [chunk] = output?.output ?? []
  expect(chunk?.imports.filter((name) => !/^react(\/jsx-|$)/.test(name))).toEqual([])
  // The client is the caller's: its paths are not in here.
  expect(chunk?.code).not.toMatch(/\/api\/|\bnode:|\bprocess\.|\bBuffer\b/)
  expect(chunk?.code).toContain('useSyncExternalStore')
  expect(gzipSync(chunk?.code ?? '').byteLength).toBeLessThanOrEqual(maxBytes)
})
