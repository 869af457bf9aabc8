import type { Ask } from '../../core/ask.ts'
import { isObject, type Json } from '../../core/json.ts'
import { askedOf } from '../asked.ts'
import { fieldsOf } from '../terminal/fields.ts'

const known: Record<string, Json> = { name: 'Ann Meyer', street: '12 Harbour Road', city: 'Bremen' }

/** The options of `querent answer` that a friendly person would give: whatever a model asks, something that fits. */
export function playPerson(ask: Ask): string[] {
  const asked = askedOf(ask)
  if (!asked) return ['--approve']
  const labels = asked.options.map(({ label }) => label)
  if (asked.multi) return ['--choose', ...labels.slice(0, 2)]
  if (labels.length > 0) return ['--choose', labels[1] ?? labels[0] ?? '']
  if (asked.shape === undefined) return ['--text', 'As you like.']
  return ['--data', JSON.stringify(sampleOf(asked.shape))]
}

function sampleOf(shape: Parameters<typeof fieldsOf>[0]): Json {
  const fields = fieldsOf(shape)
  const values = fields
    .filter(({ required }) => required)
    .map(({ name = '', kind, options, initial }): [string, Json] => {
      if (initial !== undefined) return [name, initial]
      if (kind === 'choice') return [name, options[0]?.value ?? null]
      if (kind === 'number' || kind === 'integer') return [name, 1]
      return [name, known[name] ?? 'Ann Meyer']
    })
  const sample = Object.fromEntries(values)
  return isObject(shape) && fields[0]?.name === undefined ? (sample[''] ?? null) : sample
}
