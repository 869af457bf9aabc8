import { Link } from 'wouter'
import { BackIcon } from './icons.tsx'

/** Back to the list, where there is room for one pane alone. */
export function BackLink({ href }: { href: string }) {
  return (
    <Link href={href} className="button button-quiet button-icon back" aria-label="Back to the list">
      <BackIcon />
    </Link>
  )
}
