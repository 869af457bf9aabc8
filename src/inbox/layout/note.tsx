import type { ReactNode } from 'react'
import { CheckIcon, ClockIcon, CrossIcon, WarningIcon } from './icons.tsx'

const icons = { good: CheckIcon, bad: WarningIcon, warn: ClockIcon, plain: CrossIcon }

/** Something to know about what stands beside it. `alert`: it is told at once, since somebody just did something. */
export function Note(props: { tone: keyof typeof icons; title: ReactNode; children?: ReactNode; alert?: boolean }) {
  const { tone, title, children, alert } = props
  const Icon = icons[tone]
  return (
    <div className={`note note-${tone}`} role={alert ? 'alert' : undefined}>
      <Icon />
      <div className="note-body">
        <p className="note-title">{title}</p>
        {children}
      </div>
    </div>
  )
}
