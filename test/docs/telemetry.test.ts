import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Workplace } from '../cli/workplace.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/telemetry.md'), 'utf8')

const setup = `import { metrics, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { agent } from 'querent'
import { sqlite } from 'querent/sqlite'
import { scriptedModel } from 'querent/testing'

class Reader extends MetricReader {
  async onForceFlush() {}
  async onShutdown() {}
}
const reader = new Reader()
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
const look = { name: 'look', description: 'looks', inputSchema: { type: 'object' }, execute: () => 'seen', retrySafe: true, replays: false }
const ask = { tool: 'question', input: { question: 'Size?' } }
const model = scriptedModel([{ calls: [ask] }, { calls: [{ tool: 'look', input: {} }] }, { text: 'Done.' }])
const agents = [agent('asker', { model, questions: true, tools: [look] })]
const store = sqlite('querent.db')
`

const use = `
const ann = engine.as({ id: 'ann' }).agent('asker')
const { run } = await ann.start('I need a T-shirt')
await ann.atRest(run)
await ann.approve({ run, step: 'question 1.1', data: 'M' })
await ann.atRest(run)
const { resourceMetrics } = await reader.collect()
await engine.close()
const spans = exporter.getFinishedSpans()
console.log(JSON.stringify({
  spans: [...new Set(spans.map((span) => span.name.split(' ')[0]))].sort(),
  attributes: [...new Set(spans.flatMap((span) => Object.keys(span.attributes)))].sort(),
  metrics: resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics.map((each) => each.descriptor.name)).sort(),
}))
`

test('docs/telemetry.md: its engine tells what the tables have, span by span and metric by metric', async () => {
  const [example = ''] = [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '')
  const place = new Workplace()
  place.install('querent', '@opentelemetry')
  const ended = await place.node([place.write('main.ts', setup + example + use)])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const told = JSON.parse(ended.stdout)
  expect(told.spans).toEqual(['chat', 'execute_tool', 'invoke_agent', 'querent.park', 'querent.settle'])
  for (const name of told.spans) expect(page).toMatch(new RegExp(`^\\| \`${name}[\` ]`, 'm'))
  const standard = ['gen_ai.operation.name', 'gen_ai.tool.type', 'gen_ai.request.model']
  for (const name of told.attributes)
    if (!standard.includes(name)) expect(page).toContain(name.replace(/.*output_tokens/, 'output_tokens'))
  expect(told.metrics).toEqual(
    [...page.matchAll(/^\| (`(?:querent|gen_ai)\.[^|]*`) \| [^|]* \| [^|]*\|$/gm)]
      .flatMap((match) => (match[1] ?? '').split(', '))
      .map((name) => name.replaceAll('`', ''))
      .filter((name) => name !== 'querent.claims.lost')
      .sort(),
  )
})
