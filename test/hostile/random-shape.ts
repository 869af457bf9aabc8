import { canonical, type Json, type JsonSchema } from '../../src/core/json.ts'
import type { Tape } from '../property/tape.ts'

/*
 * Shapes that may be asked for, made from a tape: every keyword we know but `format` (the official suite has those) and
 * what only remarks. Names are taken from a few, so that keywords meet each other.
 */

type Schema = { [keyword: string]: Json }

/** Names that objects inherit, that JSON Pointers escape, that are none. */
export const names = ['a', 'b', 'ab', 'x/y', '~', '', '__proto__', 'constructor', 'toString', 'length', 'é', '0']

/** Texts, numbers and all else in answers, and in `enum` and `const`. */
export const scalars: readonly Json[] = [
  ...[null, true, false, 0, 1, -1, 2, 3, 1.5, -0, 0.1, 10, 1e300, 2 ** 53, 5e-324],
  ...['', 'a', 'b', 'ab', 'abc', '1', 'é', 'e\u0301', '👍', '👍🏽', ' ', '__proto__', 'A', 'a\u0000b', 'null', 'a\nb'],
]

const patterns = ['^a', 'b$', '^[a-z]+$', 'a|b', '^.{2}$', '^\\d+$', '\\S', '^(ab)*$', '[^a]', '^$', '\\s', '^\\w']

export class RandomShape {
  private readonly tape: Tape
  private readonly isOld: boolean
  private readonly definitions: string[]
  private looksAgain = false
  private room = 40

  constructor(tape: Tape) {
    this.tape = tape
    this.isOld = tape.chance(4)
    this.definitions = tape.chance(3) ? ['one', 'x/y~'] : []
  }

  /** The whole shape. */
  make(): JsonSchema {
    const root = this.schema(3)
    // A reference of draft-07 hides its neighbours, definitions included.
    const shape: Schema = typeof root === 'object' && !(this.isOld && '$ref' in root) ? root : { allOf: [root] }
    if (this.isOld) shape.$schema = 'http://json-schema.org/draft-07/schema#'
    const [first, ...more] = this.definitions
    if (first === undefined) return shape
    // The first refers to nothing, the others to the first only: no reference leads back.
    const named: [string, Json][] = [[first, this.withoutReferences(() => this.schema(1))]]
    this.definitions.length = 1
    for (const name of more) named.push([name, this.schema(1)])
    shape[this.isOld ? 'definitions' : '$defs'] = fromEntries(named)
    return shape
  }

  private withoutReferences<T>(make: () => T): T {
    const kept = this.definitions.splice(0)
    const made = make()
    this.definitions.push(...kept)
    return made
  }

  private schema(depth: number): JsonSchema {
    const { tape } = this
    this.room -= 1
    if (this.room < 0 || tape.ended) return true
    if (tape.chance(16)) return !tape.chance(3)
    const schema: Schema = {}
    if (this.definitions.length > 0 && tape.chance(4)) {
      const name = tape.oneOf(this.definitions).replaceAll('~', '~0').replaceAll('/', '~1')
      schema.$ref = `#/${this.isOld ? 'definitions' : '$defs'}/${name}`
      if (this.isOld) return schema
    }
    if (tape.chance(8)) schema.enum = different(this.list(4, () => this.value(1)))
    if (tape.chance(12)) schema.const = this.value(2)
    const kinds = [this.text, this.number, this.array, this.object, this.array, this.object]
    const kind = tape.pick(kinds.length + 1)
    if (kind > 0) kinds[kind - 1]?.call(this, schema, depth - 1)
    else schema.type = this.someTypes()
    if (depth > 0 && tape.chance(3)) this.combine(schema, depth - 1)
    return schema
  }

  private someTypes(): Json {
    const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
    if (this.tape.chance(2)) return this.tape.oneOf(types)
    return [...new Set([this.tape.oneOf(types), this.tape.oneOf(types), this.tape.oneOf(types)])]
  }

  private text(schema: Schema): void {
    const { tape } = this
    if (!tape.chance(4)) schema.type = 'string'
    if (tape.chance(3)) schema.minLength = tape.pick(4)
    if (tape.chance(3)) schema.maxLength = tape.pick(5)
    if (tape.chance(3)) schema.pattern = tape.oneOf(patterns)
  }

  private number(schema: Schema): void {
    const { tape } = this
    if (!tape.chance(4)) schema.type = tape.oneOf(['number', 'integer'])
    for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
      if (tape.chance(4)) schema[keyword] = tape.oneOf([0, 1, -1, 1.5, 3, 10])
    }
    if (tape.chance(4)) schema.multipleOf = tape.oneOf([1, 2, 0.5, 3, 1.5])
  }

  private array(schema: Schema, depth: number): void {
    const { tape, isOld } = this
    if (!tape.chance(4)) schema.type = 'array'
    if (depth >= 0) {
      const tuple = () => this.list(3, () => this.schema(depth))
      if (tape.chance(3)) schema[isOld ? 'items' : 'prefixItems'] = tuple()
      const rest = isOld && schema.items !== undefined ? 'additionalItems' : 'items'
      if (tape.chance(2)) schema[rest] = this.schema(depth)
      if (tape.chance(4)) schema.contains = this.schema(depth)
      if (!isOld && tape.chance(4)) schema.minContains = tape.pick(3)
      if (!isOld && tape.chance(4)) schema.maxContains = tape.pick(3)
      this.sometimesLookAgain(schema, 'unevaluatedItems', depth)
    }
    if (tape.chance(4)) schema.minItems = tape.pick(3)
    if (tape.chance(4)) schema.maxItems = tape.pick(4)
    if (tape.chance(4)) schema.uniqueItems = !tape.chance(5)
  }

  private object(schema: Schema, depth: number): void {
    const { tape, isOld } = this
    if (!tape.chance(4)) schema.type = 'object'
    const listOfNames = () => [...new Set(this.list(2, () => this.name()))]
    if (depth >= 0) {
      const byName = () => this.map(3, () => [this.name(), this.schema(depth)])
      if (!tape.chance(4)) schema.properties = byName()
      if (tape.chance(4)) schema.patternProperties = this.map(2, () => [tape.oneOf(patterns), this.schema(depth)])
      if (tape.chance(3)) schema.additionalProperties = this.schema(depth)
      if (tape.chance(6)) schema.propertyNames = this.schema(0)
      if (!isOld && tape.chance(6)) schema.dependentSchemas = byName()
      if (isOld && tape.chance(6)) schema.dependencies = this.map(2, () => [this.name(), this.schemaOrNames(depth)])
      this.sometimesLookAgain(schema, 'unevaluatedProperties', depth)
    }
    if (!isOld && tape.chance(6)) schema.dependentRequired = this.map(2, () => [this.name(), listOfNames()])
    if (tape.chance(3)) schema.required = listOfNames()
    if (tape.chance(6)) schema.minProperties = tape.pick(3)
    if (tape.chance(6)) schema.maxProperties = tape.pick(4)
  }

  private schemaOrNames(depth: number): Json {
    return this.tape.chance(2) ? [this.name()] : this.schema(depth)
  }

  /** At most once in a shape, as the limits say. */
  private sometimesLookAgain(schema: Schema, keyword: string, depth: number): void {
    if (this.isOld || this.looksAgain || !this.tape.chance(5)) return
    this.looksAgain = true
    schema[keyword] = this.tape.chance(2) ? false : this.schema(depth)
  }

  private combine(schema: Schema, depth: number): void {
    const { tape } = this
    const branches = () => this.list(3, () => this.schema(depth))
    const add = tape.oneOf([
      () => ({ allOf: branches() }),
      () => ({ anyOf: branches() }),
      () => ({ oneOf: branches() }),
      () => ({ not: this.schema(depth) }),
      () => this.condition(depth),
    ])
    Object.assign(schema, add())
  }

  private condition(depth: number): Schema {
    const words = ['if', 'then', 'else'].filter(() => !this.tape.chance(4))
    return fromEntries(words.map((word) => [word, this.schema(depth)]))
  }

  private name(): string {
    return this.tape.oneOf(names)
  }

  value(depth: number): Json {
    const { tape } = this
    if (depth === 0 || !tape.chance(4)) return tape.oneOf(scalars)
    if (tape.chance(2)) return this.list(3, () => this.value(depth - 1))
    return this.map(3, () => [this.name(), this.value(depth - 1)])
  }

  /** One at least. */
  private list(most: number, make: () => Json): Json[] {
    return Array.from({ length: 1 + this.tape.pick(most) }, make)
  }

  private map(most: number, make: () => [string, Json]): Schema {
    return fromEntries(Array.from({ length: 1 + this.tape.pick(most) }, make))
  }
}

/** Draft-07 wants the values of an `enum` to differ, and one of the other validators insists. */
function different(values: Json[]): Json[] {
  return [...new Map(values.map((value) => [canonical(value), value])).values()]
}

/** Own properties, `__proto__` included, as `JSON.parse` makes them. */
export function fromEntries(entries: [string, Json][]): Schema {
  const made: Schema = {}
  for (const [name, value] of entries) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return made
}
