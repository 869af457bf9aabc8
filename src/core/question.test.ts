import fc from 'fast-check'
import { checkAnswer, checkShape } from 'querent/extension'
import { describe, expect, test } from 'vitest'
import type { Json, JsonSchema } from './json.ts'
import { answerSchemaOf, type Question, questionAsk, questionKind } from './question.ts'

async function issuesOf(fields: Omit<Question, 'question'>, data: Json): Promise<string[]> {
  const issues = await checkAnswer(answerSchemaOf({ question: 'Which?', ...fields }), data)
  return issues.map(({ path, message }) => `${path} ${message}`)
}

const choices = ['S', { label: 'M', description: 'medium' }, 'L']
const oneOf = 'must be one of: S, M, L'

describe('what an answer must be', () => {
  test.each<[string, Omit<Question, 'question'>, Json, string[]]>([
    ['free text', {}, 'any text', []],
    ['free text, blank', {}, ' \n\u00a0', [' must not be blank']],
    ['free text, no text', {}, 3, [' must be text']],
    ['free text, long', {}, 'x'.repeat(100_000), []],

    ['choices', { choices }, 'M', []],
    ['choices, another', { choices }, 'XL', [` ${oneOf}`]],
    ['choices, other case', { choices }, 'm', [` ${oneOf}`]],
    ['choices, a list', { choices }, ['M'], [` ${oneOf}`]],
    ['choices, an object', { choices }, { selected: ['M'] }, [` ${oneOf}`]],

    ['multi', { choices, multi: true }, ['M', 'S'], []],
    ['C40: multi, none', { choices, multi: true }, [], [' must have at least 1 item']],
    ['multi, twice', { choices, multi: true }, ['M', 'M'], ['/1 is there twice']],
    ['multi, another', { choices, multi: true }, ['M', 'XL'], [`/1 ${oneOf}`]],
    ['multi, a label', { choices, multi: true }, 'M', [' must be a list']],

    ['other: a label', { choices, other: true }, 'M', []],
    ['other: a text that is no label', { choices, other: true }, 'XL', [` ${oneOf}`]],
    ['other: one selected', { choices, other: true }, { selected: ['M'], other: '' }, []],
    ['other: a text', { choices, other: true }, { selected: [], other: 'XL' }, []],
    ['other: a text alone', { choices, other: true }, { other: 'XL' }, []],
    [
      'other: two selected',
      { choices, other: true },
      { selected: ['M', 'L'], other: '' },
      ['/selected must have at most 1 item'],
    ],
    [
      'other: selected and a text',
      { choices, other: true },
      { selected: ['M'], other: 'x' },
      ['/selected must be empty'],
    ],
    ['other: nothing', { choices, other: true }, {}, ['/selected is required']],
    [
      'other: nothing but spaces',
      { choices, other: true },
      { selected: [], other: '  ' },
      ['/selected must have at least 1 item'],
    ],
    ['other: no text', { choices, other: true }, { selected: ['M'], other: 3 }, ['/other must be text']],
    ['other: more', { choices, other: true }, { selected: ['M'], more: 1 }, ['/more is not asked for']],
    ['other: another', { choices, other: true }, { selected: ['XL'] }, [`/selected/0 ${oneOf}`]],

    ['multi and other: labels', { choices, multi: true, other: true }, ['M', 'L'], []],
    ['multi and other: both', { choices, multi: true, other: true }, { selected: ['M', 'L'], other: 'XL' }, []],
    ['multi and other: a text', { choices, multi: true, other: true }, { selected: [], other: 'XL' }, []],
    [
      'multi and other: twice',
      { choices, multi: true, other: true },
      { selected: ['M', 'M'], other: 'x' },
      ['/selected/1 is there twice'],
    ],
    [
      'multi and other: nothing',
      { choices, multi: true, other: true },
      { selected: [] },
      ['/selected must have at least 1 item'],
    ],

    ['shape', { shape: { type: 'integer' } }, 0, []],
    ['shape, misfit', { shape: { type: 'integer' } }, 'a', [' must be a whole number']],
    ['shape that takes a blank text', { shape: { type: 'string' } }, '', []],
    ['choices and shape', { choices, shape: { maxLength: 1 } }, 'M', []],
    ['choices and shape, not the choices', { choices, shape: { maxLength: 1 } }, 'X', [` ${oneOf}`]],
    [
      'choices and shape, not the shape',
      { choices, multi: true, shape: { maxItems: 1 } },
      ['M', 'L'],
      [' must have at most 1 item'],
    ],
    ['choices and a shape of true', { choices, shape: true }, 'M', []],
  ])('%s', async (_name, fields, data, issues) => {
    expect(await issuesOf(fields, data)).toEqual(issues)
  })
})

describe('choices and shape together: the shape keeps its meaning', () => {
  const draft7 = 'http://json-schema.org/draft-07/schema#'
  const label = { type: 'string', maxLength: 1 }

  test.each<[string, JsonSchema]>([
    ['a reference of the whole', { $ref: '#/$defs/label', $defs: { label } }],
    [
      'of draft-07, which hides its neighbours',
      { $schema: draft7, $ref: '#/definitions/label', definitions: { label } },
    ],
    ['by a path through properties', { allOf: [{ $ref: '#/properties/a' }], properties: { a: label } }],
    ['by an anchor', { $ref: '#label', $defs: { x: { $anchor: 'label', ...label } } }],
    ['an $id', { $id: 'https://example.com/a', $ref: '#/$defs/label', $defs: { label } }],
    ['escapes', { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': label } }],
    [
      'names that look like data',
      { $ref: '#/$defs/default', $defs: { default: { $ref: '#/$defs/enum' }, enum: label } },
    ],
  ])('%s', async (_name, shape) => {
    expect(await checkShape(shape)).toEqual({ ok: true })
    const fields = { choices: ['S', 'XL'], shape }
    expect(await issuesOf(fields, 'S')).toEqual([])
    expect(await issuesOf(fields, 'XL')).toEqual([' must have at most 1 character'])
    expect(await issuesOf(fields, 'M')).toEqual([' must be one of: S, XL'])
  })

  test('what only looks like a reference stays as it is', () => {
    const shape = { enum: [{ $ref: '#/a' }], properties: { $ref: { const: { $ref: '#/b' } } } }
    expect(answerSchemaOf({ question: 'a', choices: ['b'], shape })).toEqual({ allOf: [{ enum: ['b'] }, shape] })
  })

  test('keywords that look at what others have seen do not see the choices', async () => {
    const shape = { type: 'object', properties: { selected: true }, unevaluatedProperties: false }
    const fields = { choices, other: true, shape }
    expect(await issuesOf(fields, { selected: ['M'] })).toEqual([])
    expect(await issuesOf(fields, { other: 'x' })).toEqual(['/other is not asked for'])
  })
})

describe('properties', () => {
  const labels = fc.uniqueArray(
    fc.string({ minLength: 1, maxLength: 8 }).map((text) => `${text}.`),
    { minLength: 1, maxLength: 6 },
  )

  test('each label is an answer, and what is none is not', async () => {
    await fc.assert(
      fc.asyncProperty(labels, fc.boolean(), fc.string(), async (choices, other, text) => {
        for (const label of choices) expect(await issuesOf({ choices, other }, label)).toEqual([])
        fc.pre(!choices.includes(text))
        expect(await issuesOf({ choices, other }, text)).toHaveLength(1)
      }),
    )
  })

  test('each non-empty selection is an answer, with multi, and with other as well', async () => {
    const selection = labels.chain((choices) => fc.tuple(fc.constant(choices), fc.subarray(choices)))
    await fc.assert(
      fc.asyncProperty(selection, fc.boolean(), fc.string(), async ([choices, selected], multi, other) => {
        const isSaid = other.trim() !== ''
        const fits = isSaid ? multi || selected.length === 0 : multi ? selected.length > 0 : selected.length === 1
        expect((await issuesOf({ choices, multi, other: true }, { selected, other })).length === 0).toBe(fits)
        if (multi) expect((await issuesOf({ choices, multi }, selected)).length === 0).toBe(selected.length > 0)
      }),
    )
  })
})

test('describe: all that a person would read, as it is, whichever tool asks', () => {
  const question: Question = {
    question: 'Which?',
    choices: ['S', { label: 'M', description: 'medium' }],
    shape: {
      title: 'the title',
      description: 'the "quoted"\nline',
      properties: {
        field: { enum: ['value', 7, { deep: ['leaf'] }], title: 'inner title' },
        default: { default: 'the default', examples: ['an example'] },
      },
      patternProperties: { '^by name$': { const: 'the constant' } },
      $defs: { shared: { anyOf: [{ title: 'a branch' }], items: { description: 'an item' } } },
    },
  }
  const read = [
    'Which?',
    'S',
    'M',
    'medium',
    'the title',
    'the "quoted"',
    'line',
    'field',
    'value',
    '7',
    'deep',
    'leaf',
  ]
  const more = [
    'inner title',
    'default',
    'the default',
    'an example',
    '^by name$',
    'the constant',
    'a branch',
    'an item',
  ]
  const { choices, ...rest } = question
  for (const input of [question, { ...rest, options: choices as Json }]) {
    const text = questionKind.describe(questionAsk('any', input as Json, question))
    expect(text.split('\n')).toEqual(expect.arrayContaining([...read, ...more]))
  }
})

test('describe: of what is no question, what there is to read', () => {
  expect(questionKind.describe({ tool: 'any', input: 'Why?' })).toBe('Why?')
  expect(questionKind.describe({ tool: 'any', input: { text: 'Why?' }, options: [{ label: 'S' }] })).toBe('S')
})

test('stored: choices in one form, whatever the tool calls them', () => {
  const choices = ['S', { label: 'M', description: 'medium' }]
  const input = { question: 'a', options: choices }
  expect(questionAsk('ask', input, { question: 'a', choices })).toEqual({
    kind: 'question',
    tool: 'ask',
    input,
    options: [{ label: 'S' }, { label: 'M', description: 'medium' }],
    answerSchema: { enum: ['S', 'M'] },
  })
  expect(questionAsk('ask', { question: 'a' }, { question: 'a' })).not.toHaveProperty('options')
})
