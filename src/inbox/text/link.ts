import { visible } from '../../protocol/core.ts'

/** Where a link of a model leads: `shown` is what a person must see of it. Nothing for whatever is no web or mail address. */
export function linkOf(url: string): { href: string; shown: string } | undefined {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    return undefined
  }
  if (parsed.protocol === 'mailto:') {
    // Who else gets it, and what it says, would stand in the rest.
    if (parsed.pathname === '' || parsed.search !== '') return undefined
    return { href: parsed.href, shown: visible(parsed.pathname, 'line') }
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return undefined
  // `https://bank.example@evil.example/` shows one name and leads to the other.
  if (parsed.username !== '' || parsed.password !== '') return undefined
  return { href: parsed.href, shown: parsed.host }
}
