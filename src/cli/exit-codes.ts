/** What the process ends with. 75 is EX_TEMPFAIL of sysexits.h: try again later, when the person has answered. */
export const exit = { fine: 0, error: 1, usage: 2, parked: 75, interrupted: 130 } as const

export type ExitCode = (typeof exit)[keyof typeof exit]
