import { expect, test } from 'vitest'
import type { z } from 'zod'
import * as schemas from '../../src/server/schemas.ts'
import { ask, asker, helperOf, world } from '../engine/world.ts'
import { openStream, serve } from './served.ts'

interface Document {
  openapi: string
  paths: Record<string, Record<string, { operationId: string; parameters: { name: string }[]; responses: object }>>
  components: { schemas: Record<string, { type?: string; properties?: object; additionalProperties?: unknown }> }
}

async function served() {
  const { open } = world()
  const turns = [
    { text: 'Let me ask.', calls: [ask({ question: 'Size?', choices: ['S', { label: 'M', description: 'Medium' }] })] },
    { text: 'Done.' },
  ]
  const engine = await open(asker(turns, { description: 'Sells shirts.', limits: { ask: '1d' } }).agents)
  return { engine, server: await serve(engine) }
}

test('says what there is, in OpenAPI 3.1, to everybody', async () => {
  const { server } = await served()
  const answer = await server.ask('/api/openapi.json')
  const document = answer.body as Document
  expect([answer.status, document.openapi]).toEqual([200, '3.1.0'])
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.sort()).toEqual(
    [
      'GET /api/agents',
      'POST /api/agents/{agent}/runs',
      'POST /api/agents/{agent}/chat',
      'GET /api/agents/{agent}/chat/{chat}',
      'GET /api/agents/{agent}/chat/{chat}/stream',
      'GET /api/runs',
      'GET /api/runs/{run}',
      ...['approve', 'refuse', 'say', 'stop'].map((action) => `POST /api/runs/{run}/${action}`),
      'GET /api/runs/{run}/events',
      'GET /api/asks',
      'GET /api/events',
      'POST /api/sign-in',
      'POST /api/sign-out',
      'GET /api/openapi.json',
    ].sort(),
  )
  const runs = document.paths['/api/runs']?.get
  expect(runs?.parameters.map(({ name }) => name)).toEqual(['after', 'limit', 'status', 'agent', 'key', 'active'])
  expect(document.components.schemas.ApproveBody).toMatchObject({
    additionalProperties: false,
    oneOf: [{ required: ['ask'] }, { required: ['step'] }],
  })
})

test('every reference leads somewhere, and every id is there once', async () => {
  const { server } = await served()
  const document = (await server.ask('/api/openapi.json')).body as Document
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) =>
    String(reference),
  )
  expect(references.length).toBeGreaterThan(10)
  for (const reference of references) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1]
    expect(Object.keys(document.components.schemas), reference).toContain(name)
  }
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId))
  expect(new Set(ids).size).toBe(ids.length)
})

/** Nothing was sent that the schema does not tell of: what it reads is all there was. */
function documented(schema: z.ZodType, value: unknown): void {
  expect(schema.parse(value)).toEqual(value)
}

test('what is sent is what it says, field by field', async () => {
  const { engine, server } = await served()
  const { run } = (await server.ask('/api/agents/asker/runs', { as: 'ann', body: { input: 'go' } })).body as {
    run: string
  }
  await engine.runs.atRest(run)
  const bodyOf = async (path: string, body?: object) => (await server.ask(path, { as: 'ann', body })).body
  documented(schemas.runView, await bodyOf(`/api/runs/${run}`))
  documented(schemas.agentList, await bodyOf('/api/agents'))
  documented(schemas.runPage, await bodyOf('/api/runs?limit=1'))
  documented(schemas.askPage, await bodyOf('/api/asks?limit=1'))
  documented(schemas.problem, await bodyOf(`/api/runs/${run}/approve`, { step: 'question 1.1', data: 'XL' }))
  documented(schemas.settling, await bodyOf(`/api/runs/${run}/approve`, { step: 'question 1.1', data: 'M' }))
  await helperOf(engine, 'asker').atRest(run)
  documented(schemas.problem, await bodyOf(`/api/runs/${run}/refuse`, { step: 'question 1.1' }))
  documented(schemas.runView, await bodyOf(`/api/runs/${run}`))
  documented(schemas.runState, await bodyOf(`/api/runs/${run}/stop`, {}))
  for (const sent of await (await openStream(`${server.url}/api/runs/${run}/events`, { as: 'ann' })).rest()) {
    if (sent.event === undefined) documented(schemas.viewEvent, sent.data)
  }
  documented(schemas.personEvent, (await (await openStream(`${server.url}/api/events`, { as: 'ann' })).next())?.data)
})
