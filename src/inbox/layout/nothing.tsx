import type { ReactNode } from 'react'

/** A pane with nothing in it, which says why, and what can be done. */
export function Nothing({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="nothing">
      <div className="nothing-mark">{icon}</div>
      <h2>{title}</h2>
      {children}
    </div>
  )
}
