import type { Json } from '../protocol/core.ts'

/* What a form is made of: fields as data, and what was typed into them. Which element draws one is the views' affair. */

/** One of the values to choose from. */
export interface FieldOption {
  label: string
  description?: string
  value: Json
}

/** What every field has. Its texts are untrusted: they are shown through `visible`. */
interface FieldBase {
  /** The property in the object around it. Left out: the field is the whole answer, or an item of a list. */
  name?: string
  title: string
  description?: string
  /** What a value must be, in words: `at least 1`. */
  hint?: string
  required: boolean
}

/** Formats with an input of their own. Others are text: the server judges them. */
export type TextFormat = 'date' | 'date-time' | 'email' | 'uri'

export interface TextField extends FieldBase {
  kind: 'text'
  format?: TextFormat
  /** Room for more than a line. */
  tall: boolean
  initial?: string
  /** What it means to write nothing. Left out: nothing was answered. */
  blank?: Json
}

export interface NumberField extends FieldBase {
  kind: 'number'
  whole: boolean
  initial?: number
  blank?: Json
}

export interface ChoiceField extends FieldBase {
  kind: 'choice'
  options: FieldOption[]
  /** Several may be chosen: the value is a list. */
  multi: boolean
  /** With `multi`: none is no answer. */
  atLeastOne?: boolean
  /** A text of the person's own is welcome: `{ selected, other }`. */
  other?: boolean
  /** Too many to lie open. */
  dropsDown?: boolean
  initial?: Json
}

export interface ObjectField extends FieldBase {
  kind: 'object'
  fields: Field[]
}

export interface ListField extends FieldBase {
  kind: 'list'
  item: Field
  /** How many items stand there at first, where nothing else does. */
  least: number
  initial?: Json
}

/** One of several forms: `anyOf` or `oneOf` of schemas. */
export interface FormsField extends FieldBase {
  kind: 'forms'
  forms: Field[]
  initial?: Json
}

/** Whatever has no form: the person writes JSON. */
export interface JsonField extends FieldBase {
  kind: 'json'
  initial?: Json
}

export type Field = TextField | NumberField | ChoiceField | ObjectField | ListField | FormsField | JsonField

/** What was chosen: options by index, and the text of the person's own. It counts where `somethingElse` is among them. */
export type Picked = { at: number[]; other?: string }

/** The index that stands for a text of the person's own. */
export const somethingElse = -1

/** Which of several forms, and what was typed into it. */
export type InForm = { form?: number; typed?: Typed }

/**
 * What was typed into a field: a text as it stands, whatever it will mean; what was picked; what was typed into each field
 * of an object, in their order, or each item of a list. It is JSON, so that it can be kept as a draft.
 */
export type Typed = string | Picked | InForm | Typed[]
