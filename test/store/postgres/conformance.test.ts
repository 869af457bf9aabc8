import { test } from 'vitest'
import { runStoreCase } from '../../../src/testing/store-kit/store-case.ts'
import { storeCases } from '../../../src/testing/store-kit/store-cases.ts'
import { openPostgres } from './open.ts'

for (const each of storeCases) {
  test(`${each.topic}: ${each.name}`, () => runStoreCase(each, openPostgres))
}
