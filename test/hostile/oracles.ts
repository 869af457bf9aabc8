import { Validator } from '@cfworker/json-schema'
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12'
import '@hyperjump/json-schema/draft-07'
import type { Json, JsonSchema } from '../../src/core/json.ts'

/** Another validator's word on whether values fit a schema; nothing where it gives up. */
export interface Oracle {
  name: string
  verdicts(schema: JsonSchema, values: readonly Json[]): Promise<(boolean | undefined)[]>
}

const draft07 = 'http://json-schema.org/draft-07/schema#'
const draft2020 = 'https://json-schema.org/draft/2020-12/schema'

const dialectOf = (schema: JsonSchema) =>
  typeof schema === 'object' && schema.$schema === draft07 ? draft07 : draft2020

const cfworker: Oracle = {
  name: 'cfworker',
  async verdicts(schema, values) {
    const validator = new Validator(schema, dialectOf(schema) === draft07 ? '7' : '2020-12')
    return values.map((value) => attempt(() => validator.validate(value).valid))
  },
}

const uri = 'https://example.com/shape'

const hyperjump: Oracle = {
  name: 'hyperjump',
  async verdicts(schema, values) {
    registerSchema(schema as never, uri, dialectOf(schema))
    try {
      const check = await validate(uri)
      return values.map((value) => attempt(() => check(value as never).valid))
    } catch {
      return values.map(() => undefined)
    } finally {
      unregisterSchema(uri)
    }
  },
}

function attempt(check: () => boolean): boolean | undefined {
  try {
    return check()
  } catch {
    return undefined
  }
}

export const oracles: readonly Oracle[] = [cfworker, hyperjump]
