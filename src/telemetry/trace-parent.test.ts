import { trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { linksTo, traceParentOf } from './trace-parent.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('what a span is kept as leads back to it', () => {
  for (const traceFlags of [0, 1]) {
    const kept = traceParentOf(trace.wrapSpanContext({ traceId, spanId, traceFlags }))
    expect(kept).toBe(`00-${traceId}-${spanId}-0${traceFlags}`)
    expect(linksTo(kept)).toEqual([{ context: { traceId, spanId, traceFlags, isRemote: true } }])
  }
})

test('a span without ids, and none at all, are kept as nothing', () => {
  expect(traceParentOf(undefined)).toBeUndefined()
  const nobody = { traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }
  expect(traceParentOf(trace.wrapSpanContext(nobody))).toBeUndefined()
})

test.each([
  undefined,
  '',
  'garbage',
  `01-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
])('%s is linked to by nothing', (kept) => {
  expect(linksTo(kept)).toEqual([])
})
