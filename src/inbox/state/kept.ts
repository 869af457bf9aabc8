/*
 * What this browser keeps for a person between visits. Storage may be full, or forbidden: then it lasts as long as the
 * page, and nothing else changes.
 */

const prefix = 'querent.'
const memory = new Map<string, string>()

export function keep(name: string, value: string | undefined): void {
  if (value === undefined) memory.delete(name)
  else memory.set(name, value)
  try {
    // First: where it cannot be stored, what is stored is older than what the memory has.
    localStorage.removeItem(prefix + name)
    if (value !== undefined) localStorage.setItem(prefix + name, value)
  } catch {
    // The memory has it.
  }
}

export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(prefix + name) ?? memory.get(name)
  } catch {
    return memory.get(name)
  }
}
