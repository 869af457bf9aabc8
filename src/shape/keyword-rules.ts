import type { JsonError, Keyword, SchemaNode } from 'json-schema-library'
import { canonical, isObject, type Json } from '../core/json.ts'
import { isMultipleOf } from './multiple-of.ts'
import { below, type Errors, errorsOf, type Params } from './node-errors.ts'
import type { TextMatcher } from './pattern.ts'
import { validateUnevaluatedItems, validateUnevaluatedProperties } from './unevaluated.ts'

/*
 * Keywords as json-schema-library has them, except where it would give a wrong answer or take too long: patterns run
 * on a linear engine, values are equal whatever the order of their keys, `uniqueItems` compares each item once,
 * names that objects inherit (`constructor`) are names like any other, a `maximum` of 0 and a `contains` that is true
 * or false count as others do, and decimals are multiples as they are written.
 */

function inner(node: SchemaNode, keyword: string, name: string): SchemaNode {
  const at = `${keyword}/${name}`
  return node.compileSchema(node.schema[keyword][name], `${node.evaluationPath}/${at}`, `${node.schemaLocation}/${at}`)
}

/** Nodes by name in an object without a prototype. */
function nodesByName(node: SchemaNode, keyword: string): { [name: string]: SchemaNode } {
  const nodes: { [name: string]: SchemaNode } = Object.create(null)
  for (const name of Object.keys(node.schema[keyword])) nodes[name] = inner(node, keyword, name)
  return nodes
}

function validateConst({ node, data, pointer }: Params): JsonError | undefined {
  const { schema } = node
  if (canonical(schema.const) === canonical(data as Json)) return undefined
  return node.createError('const-error', { pointer, schema, value: data })
}

function validateEnum({ node, data, pointer }: Params): JsonError | undefined {
  const { schema } = node
  const wanted = canonical(data as Json)
  if ((schema.enum as Json[]).some((value) => canonical(value) === wanted)) return undefined
  return node.createError('enum-error', { pointer, schema, value: data })
}

function validateUniqueItems({ node, data, pointer }: Params): Errors {
  if (!Array.isArray(data)) return []
  const seen = new Set<string>()
  const errors: Errors = []
  data.forEach((item: Json, index) => {
    const text = canonical(item)
    if (seen.has(text)) {
      errors.push(
        node.createError('unique-items-error', { pointer: `${pointer}/${index}`, schema: node.schema, value: item }),
      )
    }
    seen.add(text)
  })
  return errors
}

function validateMaximum({ node, data, pointer }: Params): JsonError | undefined {
  const { schema } = node
  if (typeof data !== 'number' || data <= schema.maximum) return undefined
  return node.createError('maximum-error', { pointer, schema, value: data })
}

function validateMultipleOf({ node, data, pointer }: Params): JsonError | undefined {
  const { schema } = node
  if (typeof data !== 'number' || isMultipleOf(data, schema.multipleOf)) return undefined
  return node.createError('multiple-of-error', { pointer, schema, value: data })
}

function validateContains({ node, data, pointer, path }: Params): JsonError | undefined {
  const { schema, contains } = node
  if (!Array.isArray(data) || !contains) return undefined
  const found = data.filter((item) => errorsOf(contains, item, pointer, path).length === 0).length
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema
  if (found > maxContains) return node.createError('contains-max-error', { pointer, schema, value: data })
  if (found >= minContains) return undefined
  return node.createError('contains-min-error', { pointer, schema, value: data })
}

function validateProperties({ node, data, pointer, path }: Params): Errors {
  const { properties } = node
  if (!isObject(data) || !properties) return []
  return Object.keys(data).flatMap((name) => {
    const property = properties[name]
    return property ? errorsOf(property, data[name], below(pointer, name), path) : []
  })
}

function validateAdditionalProperties({ node, data, pointer, path }: Params): Errors {
  if (!isObject(data)) return []
  const { schema, properties = {}, patternProperties = [], additionalProperties } = node
  const extra = Object.keys(data).filter(
    (name) => !Object.hasOwn(properties, name) && !patternProperties.some(({ pattern }) => pattern.test(name)),
  )
  return extra.flatMap((name) => {
    const at = below(pointer, name)
    if (additionalProperties) return errorsOf(additionalProperties, data[name], at, path)
    return [node.createError('no-additional-properties-error', { pointer: at, schema, value: data[name] })]
  })
}

function validatePatternProperties({ node, data, pointer, path }: Params): Errors {
  const { patternProperties } = node
  if (!isObject(data) || !patternProperties) return []
  return Object.keys(data).flatMap((name) =>
    patternProperties
      .filter(({ pattern }) => pattern.test(name))
      .flatMap(({ node: property }) => errorsOf(property, data[name], below(pointer, name), path)),
  )
}

/** The keywords that replace the library's, by name: what they change of it. */
export function keywordRules(match: TextMatcher): { [keyword: string]: Partial<Keyword> } {
  return {
    const: { addValidate: ({ schema }) => schema.const !== undefined, validate: validateConst },
    enum: { addValidate: ({ schema }) => schema.enum !== undefined, validate: validateEnum },
    uniqueItems: { validate: validateUniqueItems },
    maximum: { validate: validateMaximum },
    multipleOf: { validate: validateMultipleOf },
    contains: { validate: validateContains },
    unevaluatedItems: { validate: validateUnevaluatedItems },
    unevaluatedProperties: { validate: validateUnevaluatedProperties },
    properties: {
      parse(node) {
        if (node.schema.properties) node.properties = nodesByName(node, 'properties')
      },
      validate: validateProperties,
    },
    additionalProperties: {
      // The library leaves it to `patternProperties` where both stand, and there forgets some.
      addValidate: ({ schema }) => schema.additionalProperties !== undefined && schema.additionalProperties !== true,
      validate: validateAdditionalProperties,
    },
    patternProperties: {
      parse(node) {
        const byName = node.schema.patternProperties
        if (!byName) return
        node.patternProperties = Object.keys(byName).map((name) => ({
          name,
          // The library asks a pattern for `test` only.
          pattern: match(name) as RegExp,
          node: inner(node, 'patternProperties', name),
        }))
      },
      validate: validatePatternProperties,
    },
    pattern: {
      parse(node) {
        if (node.schema.pattern !== undefined) node.pattern = match(node.schema.pattern) as RegExp
      },
    },
    dependentRequired: {
      parse(node) {
        if (node.schema.dependentRequired) node.dependentRequired = node.schema.dependentRequired
      },
    },
    dependentSchemas: {
      parse(node) {
        if (node.schema.dependentSchemas) node.dependentSchemas = nodesByName(node, 'dependentSchemas')
      },
    },
  }
}
