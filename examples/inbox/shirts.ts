import { agent, type JsonSchema, tool } from 'querent'
import type { ScriptedTurn } from 'querent/testing'
import { z } from 'zod'
import { actor, outcomeOf, type Scene } from './scene.ts'

const sizes = [
  { label: 'S', description: 'Chest 88 cm, for a height of up to 170 cm' },
  { label: 'M', description: 'Chest 96 cm, for a height of up to 178 cm' },
  { label: 'L', description: 'Chest 104 cm, for a height of up to 186 cm' },
  { label: 'XL', description: 'Chest 112 cm, cut longer in the back' },
]

const delivery: JsonSchema = {
  type: 'object',
  title: 'Delivery',
  properties: {
    name: { type: 'string', title: 'Name on the parcel', minLength: 1, maxLength: 80 },
    quantity: { type: 'integer', title: 'How many', minimum: 1, maximum: 20, default: 1 },
    colour: {
      title: 'Colour',
      oneOf: [
        { const: 'navy', title: 'Navy' },
        { const: 'sand', title: 'Sand' },
        { const: 'forest', title: 'Forest green' },
      ],
    },
    gift: { type: 'boolean', title: 'Wrap it as a gift', default: false },
    email: { type: 'string', format: 'email', title: 'E-mail for the tracking link' },
    address: {
      type: 'object',
      title: 'Address',
      properties: {
        street: { type: 'string', title: 'Street and number', minLength: 1 },
        postcode: { type: 'string', title: 'Postcode', minLength: 3, maxLength: 10 },
        city: { type: 'string', title: 'City', minLength: 1 },
        country: { type: 'string', title: 'Country', enum: ['Austria', 'France', 'Germany', 'Italy', 'Switzerland'] },
      },
      required: ['street', 'postcode', 'city', 'country'],
      additionalProperties: false,
    },
  },
  required: ['name', 'quantity', 'colour', 'address'],
  additionalProperties: false,
}

const Order = z.object({
  size: z.string().meta({ title: 'Size' }),
  colour: z.string().meta({ title: 'Colour' }),
  quantity: z.int().min(1).max(20).meta({ title: 'How many' }),
  gift: z.boolean().meta({ title: 'Gift wrapping' }),
  shipTo: z.string().meta({ title: 'Ship to' }),
  totalEuro: z.number().min(0).meta({ title: 'Total in euro' }),
})

const placeOrder = tool({
  name: 'place_order',
  description: 'Places an order with the print shop. It is charged at once.',
  input: Order,
  approval: { editable: true },
  execute: ({ quantity, colour, size, totalEuro }) =>
    `Order 4711: ${quantity} × T-shirt ${size} in ${colour}, €${totalEuro.toFixed(2)}, at your door on Thursday.`,
})

interface Delivery {
  name: string
  quantity: number
  colour: string
  gift?: boolean
  address: { street: string; postcode: string; city: string; country: string }
}

/** Asks for a size (choices) and a delivery (a shape), and for leave to order; the order may be edited. */
function act({ results }: Scene): ScriptedTurn {
  const [size, to, order] = results
  if (!size) {
    const text = 'Happy to order you one of our team shirts. First things first:'
    return { text, calls: [{ tool: 'question', input: { question: 'Which size fits you?', choices: sizes } }] }
  }
  if (size.refused) return { text: 'No shirt, then. The offer stands: write to me when you want one.' }
  if (!to) {
    const question = `Size ${size.value}, noted. Where should it go, and in which colour?`
    return { calls: [{ tool: 'question', input: { question, shape: delivery } }] }
  }
  if (to.refused) return { text: 'Without an address I cannot send anything, so I ordered nothing.' }
  if (!order) {
    const { name, quantity, colour, gift = false, address } = to.value as unknown as Delivery
    const shipTo = `${name}, ${address.street}, ${address.postcode} ${address.city}, ${address.country}`
    const totalEuro = quantity * 24.5 + (gift ? 3.9 : 0)
    const input = { size: String(size.value), colour, quantity, gift, shipTo, totalEuro }
    return { text: 'Thank you. Please check the order before I place it:', calls: [{ tool: 'place_order', input }] }
  }
  if (order.refused) {
    const why = order.reason === undefined ? '' : ` You said: “${order.reason}”.`
    return { text: `I placed no order and nothing was charged.${why} Tell me what to change, and we begin again.` }
  }
  return { text: `Done. ${outcomeOf(order)}` }
}

export const shirts = (pace: { wordMs: number }) =>
  agent('shirts', {
    description: 'Orders a team T-shirt: your size, where it goes, then your leave to buy it.',
    model: actor(act, pace),
    instructions: 'You order team T-shirts. Ask for the size and the delivery, then place the order.',
    tools: [placeOrder],
    questions: true,
    limits: { steps: 20 },
  })
