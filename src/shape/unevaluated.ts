import type { SchemaNode } from 'json-schema-library'
import { isObject } from '../core/json.ts'
import { below, type Errors, errorsOf, type Params } from './node-errors.ts'

/*
 * `unevaluatedProperties` and `unevaluatedItems`, in place of the library's: there the branches of `anyOf` count that do
 * not fit, an object is looked at as a list, and a reference to `true` never ends.
 */

type Container = { [key: string]: unknown }

export function validateUnevaluatedProperties(params: Params): Errors {
  if (!isObject(params.data)) return []
  return unseenErrors(params, params.data, params.node.unevaluatedProperties)
}

export function validateUnevaluatedItems(params: Params): Errors {
  if (!Array.isArray(params.data)) return []
  return unseenErrors(params, { ...params.data }, params.node.unevaluatedItems)
}

function unseenErrors(params: Params, container: Container, rest: SchemaNode | undefined): Errors {
  const { node, data, pointer, path } = params
  const { schema } = node
  const isList = Array.isArray(data)
  if (schema[isList ? 'unevaluatedItems' : 'unevaluatedProperties'] === true) return []
  const seen = new Set<string>()
  look(node, params, seen)
  const unseen = Object.entries(container).filter(([key]) => !seen.has(key))
  return unseen.flatMap(([key, value]) => {
    const at = below(pointer, key)
    if (rest) return errorsOf(rest, value, at, path)
    return [node.createError(`unevaluated-${isList ? 'items' : 'property'}-error`, { pointer: at, schema, value })]
  })
}

/** Notes what a schema, and the schemas that it applies to the same value, have seen of it. */
function look(node: SchemaNode, params: Params, seen: Set<string>): void {
  if (!isObject(node.schema)) return
  if (Array.isArray(params.data)) lookAtItems(node, params, seen)
  else lookAtProperties(node, params.data as Container, seen)
  for (const applied of appliedBy(node, params)) {
    const { schema } = applied
    const all = isObject(schema) && schema[Array.isArray(params.data) ? 'unevaluatedItems' : 'unevaluatedProperties']
    if (all === undefined || all === false) look(applied, params, seen)
    else for (const key of Object.keys(params.data as object)) seen.add(key)
  }
}

function lookAtItems({ schema, contains }: SchemaNode, { data, pointer, path }: Params, seen: Set<string>): void {
  const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0
  for (const [index, item] of (data as unknown[]).entries()) {
    const isSeen = schema.items !== undefined || index < tuple
    if (isSeen || (contains && errorsOf(contains, item, pointer, path).length === 0)) seen.add(String(index))
  }
}

function lookAtProperties({ schema, patternProperties = [] }: SchemaNode, data: Container, seen: Set<string>): void {
  for (const name of Object.keys(data)) {
    const isSeen =
      schema.additionalProperties !== undefined ||
      (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) ||
      patternProperties.some(({ pattern }) => pattern.test(name))
    if (isSeen) seen.add(name)
  }
}

/** Schemas that a schema applies to the same value: those that must fit, and of those that may, the ones that do. */
function appliedBy(node: SchemaNode, { data, pointer, path }: Params): SchemaNode[] {
  const fits = (each: SchemaNode) => errorsOf(each, data, pointer, path).length === 0
  const applied = [...(node.allOf ?? []), ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].filter(fits)]
  const condition = node.if
  const met = condition !== undefined && fits(condition)
  if (condition && met) applied.push(condition)
  const conclusion = met ? node.then : node.else
  if (condition && conclusion) applied.push(conclusion)
  for (const [name, dependent] of Object.entries(node.dependentSchemas ?? {})) {
    if (isObject(data) && Object.hasOwn(data, name) && typeof dependent === 'object') applied.push(dependent)
  }
  const target = node.schema.$ref === undefined ? undefined : node.resolveRef({ pointer, path })
  if (target) applied.push(target)
  return applied
}
