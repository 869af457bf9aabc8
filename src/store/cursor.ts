import { QuerentError } from '../core/error.ts'

/** Cursors name the last row of a page by what the list is ordered by. Opaque, so that the order can change. */
export function cursorOf(place: number[]): string {
  return Buffer.from(place.join('.')).toString('base64url')
}

/**
 * Reads a cursor of `length` numbers.
 * @throws QuerentError T0008 where it is none that this list gave.
 */
export function placeOf(cursor: string, length: number): number[] {
  const text = Buffer.from(cursor, 'base64url').toString()
  const place = text.split('.').map(Number)
  // What a number reads as, such as '' or '1e3', is not yet what a list writes.
  if (place.length === length && place.every(Number.isSafeInteger) && place.join('.') === text) return place
  throw new QuerentError(
    'T0008',
    `The cursor ${JSON.stringify(cursor.slice(0, 80))} is none of this list. Pass a "cursor" of the page before as "after".`,
  )
}

const defaultLimit = 50
const maxLimit = 200

/** How many items a page holds. */
export function pageSize(limit: number = defaultLimit): number {
  return Math.min(Math.max(Math.trunc(limit), 1), maxLimit)
}

/** Makes a page of rows of which one more than fits was read. */
export function pageOf<S, T>(rows: S[], size: number, view: { item(row: S): T; place(row: S): number[] }) {
  const shown = rows.slice(0, size)
  const items = shown.map((row) => view.item(row))
  const last = shown.at(-1)
  return rows.length > size && last !== undefined ? { items, cursor: cursorOf(view.place(last)) } : { items }
}
