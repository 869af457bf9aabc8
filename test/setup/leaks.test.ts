import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

// Inside the tree, since the runner looks for files and packages from its root. Git ignores it.
mkdirSync('.tmp', { recursive: true })
const folder = mkdtempSync('.tmp/leaks-')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs one test file of its own in a runner of its own, with the setup under test, and gives what the runner said. */
async function runFile(name: string, body: string): Promise<{ code: number; said: string }> {
  writeFileSync(
    join(folder, `${name}.test.ts`),
    `import { test } from 'vitest'\ntest('${name}', async () => {${body}})\n`,
  )
  const config = join(folder, `${name}.config.ts`)
  const test = { include: [`${folder}/${name}.test.ts`], setupFiles: ['test/setup/leaks.ts'], pool: 'forks' }
  writeFileSync(config, `export default ${JSON.stringify({ test })}\n`)
  const runner = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--root', '.']
  return new Promise((resolve) => {
    execFile(process.execPath, runner, { env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), said: stdout + stderr })
    })
  })
}

const leaks = {
  ProcessWrap: `const { spawn } = await import('node:child_process'); const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); process.once('exit', () => child.kill())`,
  TCPServerWrap: `const { createServer } = await import('node:net'); await new Promise((on) => createServer().listen(0, '127.0.0.1', on))`,
  Timeout: `setInterval(() => {}, 1000)`,
  'open file': `const { openSync } = await import('node:fs'); const { tmpdir } = await import('node:os'); openSync(tmpdir() + '/a.db', 'w')`,
  'temporary left.db': `const { writeFileSync } = await import('node:fs'); const { tmpdir } = await import('node:os'); writeFileSync(tmpdir() + '/left.db', '')`,
}

describe('what a test file leaves behind fails it', () => {
  for (const [what, body] of Object.entries(leaks)) {
    it(`names a left ${what}`, async () => {
      const { code, said } = await runFile(what.replace(/\W/g, '-'), body)
      expect(said).toContain(`This test file left behind: ${what}`)
      expect(code).toBe(1)
    })
  }

  it('lets pass what is closed, ended and removed, and timers that keep no process alive', async () => {
    const { code, said } = await runFile(
      'clean',
      `const { DatabaseSync } = await import('node:sqlite'); const fs = await import('node:fs'); const { tmpdir } = await import('node:os')
      const { createServer } = await import('node:net'); const { spawn } = await import('node:child_process')
      const own = fs.mkdtempSync(tmpdir() + '/own-'); const db = new DatabaseSync(own + '/a.db'); db.close(); fs.rmSync(own, { recursive: true })
      const server = createServer(); await new Promise((on) => server.listen(0, '127.0.0.1', on)); server.close()
      const child = spawn(process.execPath, ['-e', '']); await new Promise((on) => child.on('close', on))
      setInterval(() => {}, 1000).unref()`,
    )
    expect(said).toContain('1 passed')
    expect(code).toBe(0)
  })
})
