import type { RunStatus } from '../../protocol/core.ts'

const words: Record<RunStatus, string> = {
  ready: 'Starting',
  working: 'Working',
  waiting: 'Waiting for you',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
}

/** Where a run stands, in words. */
export function Status({ status }: { status: RunStatus }) {
  return <span className={`status status-${status}`}>{words[status]}</span>
}
