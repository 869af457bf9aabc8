import { type AgentInputItem, user } from '@openai/agents'
import type { UserInput, UserPart } from 'querent/extension'

type UserContent = Exclude<Parameters<typeof user>[0], string>

/** What people sent, as messages of the SDK. Files are sent as they are: base64 as data URLs, URLs as URLs. */
export function toItems(sent: readonly UserInput[]): AgentInputItem[] {
  return sent.map((content) => user(typeof content === 'string' ? content : content.map(toPart)))
}

function toPart(part: UserPart): UserContent[number] {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'image') return { type: 'input_image', image: urlOf(part.image, part.mediaType ?? 'image/*') }
  const { data, mediaType, filename } = part
  if (mediaType.startsWith('image/')) return { type: 'input_image', image: urlOf(data, mediaType) }
  const file = isUrl(data) ? { url: data } : urlOf(data, mediaType)
  return { type: 'input_file', file, ...(filename === undefined ? {} : { filename }) }
}

function urlOf(data: string, mediaType: string): string {
  return isUrl(data) ? data : `data:${mediaType};base64,${data}`
}

function isUrl(data: string): boolean {
  return /^(https?|data):/.test(data)
}
