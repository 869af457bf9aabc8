const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a request was made to this machine by a name that only this machine has. A page elsewhere whose name was made
 * to lead here (DNS rebinding) sends that name.
 */
export function isLoopback(request: Request): boolean {
  return loopback.includes(new URL(request.url).hostname)
}
