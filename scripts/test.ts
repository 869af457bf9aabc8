/**
 * Runs every test, or those that match, after a build, and ends with a line that says how many.
 * `node scripts/test.ts [filter…]`.
 */
import { startVitest, type TestModule } from 'vitest/node'

// `run`: never watch, whether or not somebody looks at a terminal. No test may wait for what nobody types.
const vitest = await startVitest('test', process.argv.slice(2), { run: true, watch: false, reporters: ['default'] })
const modules = vitest.state.getTestModules()
const tests = modules.flatMap((module) => [...module.children.allTests()])
const countOf = (state: string) => tests.filter((test) => test.result().state === state).length

/** Files that failed outside of any test: they did not load, or left something behind. */
const failedFiles = modules.filter((module) => module.state() === 'failed' && !hasFailedTest(module)).length
const failed = countOf('failed') + failedFiles + vitest.state.getUnhandledErrors().length
const passed = countOf('passed')
const skipped = countOf('skipped')
await vitest.close()

function hasFailedTest(module: TestModule): boolean {
  return [...module.children.allTests('failed')].length > 0
}

// No test at all means that the runner looked in the wrong place, not that all is well.
if (failed > 0 || passed === 0) process.exitCode = 1
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
