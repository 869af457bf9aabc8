/* Instants as people read them, in the reader's own zone and language. */

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Units from the largest: what is shown of a span is the first that fits twice, so that "1 day" never hides 23 hours. */
const units = [
  { unit: 'year', ms: 365.25 * dayMs, from: 2 * 365.25 * dayMs },
  { unit: 'month', ms: 30.44 * dayMs, from: 60 * dayMs },
  { unit: 'day', ms: dayMs, from: 2 * dayMs },
  { unit: 'hour', ms: hourMs, from: 2 * hourMs },
  { unit: 'minute', ms: minuteMs, from: 2 * minuteMs },
  { unit: 'second', ms: secondMs, from: 0 },
] as const

const now = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'short' })

/**
 * `in 25 days`, `3 hr. ago`. Below days it counts down, so that it never promises more time than there is. Of what is past no
 * seconds are counted: a list of them would never be still.
 */
export function relativeTo(instantMs: number, nowMs: number): string {
  const left = instantMs - nowMs
  const span = Math.abs(left)
  // Also of what a server a moment ahead of this clock has just written.
  if (left < secondMs && span < minuteMs) return now.format(0, 'second')
  const { unit, ms } = units.find((each) => span >= each.from || (left < 0 && each.unit === 'minute')) ?? units[5]
  const count = ms < dayMs ? Math.floor(span / ms) : Math.round(span / ms)
  return relative.format(Math.sign(left) * count, unit)
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** The whole instant with its zone, for titles. */
export function exactly(instantMs: number): string {
  return exact.format(instantMs)
}

/** The instant as short as it can be told: today the time, this year without the year. */
export function shortly(instantMs: number, nowMs: number): string {
  const [then, now] = [new Date(instantMs), new Date(nowMs)]
  if (then.toDateString() === now.toDateString()) return time.format(then)
  return (then.getFullYear() === now.getFullYear() ? dayAndTime : dateAndTime).format(then)
}
