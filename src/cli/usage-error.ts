/** The command was called wrongly: it ends with 2, and nothing was done. */
export class UsageError extends Error {}
