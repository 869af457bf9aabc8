import { describe, expect, it } from 'vitest'
import { type DraftStorage, localDrafts } from './drafts.ts'

/** A storage that takes so many characters, as a browser's does. */
function storage(maxCharacters = 5_000_000): DraftStorage & { items: Map<string, string> } {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    removeItem: (key) => void items.delete(key),
    setItem(key, value) {
      const size = [...items].reduce((sum, [name, text]) => (name === key ? sum : sum + text.length), value.length)
      if (size > maxCharacters) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
      items.set(key, value)
    },
  }
}

describe('localDrafts', () => {
  it('C43: keeps a draft for its ask alone, over a reload, until it is forgotten', () => {
    const store = storage()
    localDrafts('me', store).set('ask_a', { typed: 'half an answer' })
    const after = localDrafts('me', store)
    expect(after.get('ask_a')).toEqual({ typed: 'half an answer' })
    expect(after.get('ask_b')).toBeUndefined()
    expect(localDrafts('somebody else', store).get('ask_a')).toBeUndefined()
    after.set('ask_a', undefined)
    expect(localDrafts('me', store).get('ask_a')).toBeUndefined()
    expect([...store.items.values()]).toEqual(['[]'])
  })

  it('forgets the oldest of more than 50', () => {
    const store = storage()
    const drafts = localDrafts('me', store)
    for (let at = 0; at < 60; at++) drafts.set(`ask_${at}`, at)
    drafts.set('ask_12', 'again')
    drafts.set('ask_60', 60)
    expect([9, 10, 11, 12, 59, 60].map((at) => drafts.get(`ask_${at}`))).toEqual([
      undefined,
      undefined,
      11,
      'again',
      59,
      60,
    ])
    expect(store.items.size).toBe(51)
  })

  it('keeps on this page what the storage does not take, and shows nothing older after a reload', () => {
    const store = storage(200)
    const drafts = localDrafts('me', store)
    drafts.set('ask_a', 'short')
    drafts.set('ask_a', 'x'.repeat(300))
    expect(drafts.get('ask_a')).toHaveLength(300)
    expect(localDrafts('me', store).get('ask_a')).toBeUndefined()
    drafts.set('ask_a', undefined)
    expect(drafts.get('ask_a')).toBeUndefined()
  })

  it.each([
    ['is not there', undefined],
    [
      'is blocked',
      new Proxy(storage(), {
        get: () => () => {
          throw new DOMException('Denied.', 'SecurityError')
        },
      }),
    ],
  ])('works where the storage %s', (_, store) => {
    const drafts = localDrafts('me', store)
    drafts.set('ask_a', 1)
    expect([drafts.get('ask_a'), drafts.get('ask_b')]).toEqual([1, undefined])
  })

  it.each(['{', '[1', 'null', '"x"'])('is not put off by %s in its storage', (text) => {
    const store = storage()
    store.items.set('me.ask_a', text).set('mes', text)
    const drafts = localDrafts('me', store)
    drafts.get('ask_a')
    drafts.set('ask_b', 2)
    expect(localDrafts('me', store).get('ask_b')).toBe(2)
  })
})
