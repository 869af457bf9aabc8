import { agent, delegate, tool } from 'querent'
import type { ScriptedTurn } from 'querent/testing'
import { z } from 'zod'
import { actor, outcomeOf, type Scene } from './scene.ts'

const styles = [
  { label: 'Food and neighbourhoods', description: 'Markets, small restaurants, a cooking class' },
  { label: 'Museums and architecture', description: 'Belém, the tile museum, a day in Sintra' },
  { label: 'Sea and walking', description: 'Cascais, the cliffs of Cabo da Roca, sunsets' },
]

const bookHotel = tool({
  name: 'book_hotel',
  description: 'Books a room. The deposit is not paid back.',
  input: z.object({
    hotel: z.string(),
    city: z.string(),
    arrival: z.iso.date(),
    nights: z.int(),
    guests: z.int(),
    totalEuro: z.number(),
    depositEuro: z.number(),
  }),
  approval: true,
  execute: ({ hotel, nights }) => `Booked: ${hotel}, ${nights} nights, confirmation LX-88213.`,
})

/** The desk that books. It is given tasks by the planner alone, and asks for leave through it. */
function book({ results: [booked] }: Scene): ScriptedTurn {
  if (!booked) {
    const room = { hotel: 'Casa do Largo', city: 'Lisbon', arrival: '2027-05-14', nights: 3, guests: 2 }
    return { calls: [{ tool: 'book_hotel', input: { ...room, totalEuro: 414, depositEuro: 90 } }] }
  }
  if (!booked.refused) return { text: outcomeOf(booked) }
  return { text: `Nothing is booked: the traveller said no${booked.reason ? ` (“${booked.reason}”)` : ''}.` }
}

/** Asks what kind of trip it is to be, has a room booked, and writes the plan. */
function plan({ results: [style, room] }: Scene): ScriptedTurn {
  if (!style) {
    const question = 'Three days in Lisbon in May, for two. What should the trip be about?'
    return {
      text: 'Lovely. One question before I plan anything.',
      calls: [{ tool: 'question', input: { question, choices: styles, other: true } }],
    }
  }
  if (style.refused) return { text: 'Then I leave the planning to you. Have a good trip!' }
  const theme = themeOf(style.value)
  if (!room) {
    const task = `Book a quiet double room in Lisbon, 14 to 17 May, near what they like: ${theme}. At most €450.`
    return {
      text: `${theme}: a good choice. I have the bookings desk look for a room.`,
      calls: [{ tool: 'bookings', input: { task } }],
    }
  }
  return { text: itinerary(theme, String(room.value)) }
}

function themeOf(answer: unknown): string {
  if (typeof answer === 'string') return answer
  const { selected, other } = answer as { selected: string[]; other: string }
  return [...selected, other].join(' and ')
}

function itinerary(theme: string, room: string): string {
  return `### Lisbon, 14 to 17 May

${room}

1. **Friday.** Arrive by noon, lunch at the Mercado de Campo de Ourique, then tram 28 to Graça for the evening light.
2. **Saturday.** ${theme}: the whole day, with a table for two at eight.
3. **Sunday.** A slow morning in Alfama, the ferry to Cacilhas, grilled fish by the river.

${room.startsWith('Booked') ? 'Tell me what to change; the room stays as it is.' : 'Shall I look for another room? Tell me what it should be like.'}`
}

/** The planner and the desk that works for it. */
export function trips(pace: { wordMs: number }) {
  const bookings = agent('bookings', {
    description: 'Books rooms for the trip planner.',
    // Nobody starts it but the planner.
    access: 'system',
    model: actor(book, pace),
    instructions: 'You book what you are told, and report what is missing.',
    tools: [bookHotel],
  })
  const planner = agent('trips', {
    description: 'Plans a weekend away, and has a colleague book the room once you agree.',
    model: actor(plan, pace),
    instructions: 'You plan trips. Ask what the trip is about; leave booking to the desk.',
    tools: [delegate(bookings, { description: 'Has the bookings desk book a room.' })],
    questions: true,
    limits: { steps: 20 },
  })
  return [planner, bookings]
}
