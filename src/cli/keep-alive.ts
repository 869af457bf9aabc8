/**
 * Keeps the process alive until the result is called. The library's timers do not (a server ends when it wants to), so a
 * command that waits for a model to recover, or for a worker elsewhere, would end in the middle and say nothing.
 */
export function keepAlive(): () => void {
  const { port1 } = new MessageChannel()
  port1.onmessage = () => undefined
  return () => port1.close()
}
