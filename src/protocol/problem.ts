import { type Code, code, type ErrorData, QuerentError, titleOf } from './core.ts'

/** An error as RFC 9457 tells it. `code` names its page; `data` is the error's, where it has some. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: Code
  retry: boolean
  data?: ErrorData
}

export const problemType = 'application/problem+json'

/**
 * An error for whoever made the request. Errors of definitions, of the log and of the database are the operator's: of
 * those the caller hears the title.
 */
export function problemOf(error: QuerentError): Problem {
  const title = titleOf(error.code)
  const isTheirs = error.status < 500 || error.code.startsWith('T0')
  const problem: Problem = {
    type: `urn:querent:error:${error.code}`,
    title,
    status: error.status,
    detail: isTheirs ? error.message : title,
    code: error.code,
    retry: error.retry,
  }
  if (isTheirs && Object.keys(error.data).length > 0) problem.data = error.data
  return problem
}

/** The error that a problem tells of; nothing where a body is no problem of ours. */
export function errorOf(status: number, body: unknown): QuerentError | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const problem = body as Partial<Problem>
  if (typeof problem.code !== 'string' || !(problem.code in code)) return undefined
  return new QuerentError(problem.code, String(problem.detail), { status, data: problem.data ?? {} })
}
