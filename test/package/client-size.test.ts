import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, it } from 'vitest'

const maxBytes = 6 * 1024

it('the client is small, and needs nothing but what a browser has', async () => {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['querent-source'] },
    build: { write: false, minify: true, lib: { entry: 'src/client.ts', formats: ['es'] } },
  })
  const [output] = [built].flat() as { output: { code: string; imports: string[] }[] }[]
  expect(output?.output).toHaveLength(1)
  const [chunk] = output?.output ?? []
  expect(chunk?.imports).toEqual([])
  expect(chunk?.code).toContain('/api/runs')
  expect(chunk?.code).not.toMatch(/\bnode:|\bprocess\.|\bBuffer\b/)
  expect(gzipSync(chunk?.code ?? '').byteLength).toBeLessThanOrEqual(maxBytes)
})
