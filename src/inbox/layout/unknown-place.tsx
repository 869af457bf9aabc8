import { Link } from 'wouter'
import { BackLink } from './back-link.tsx'
import { WarningIcon } from './icons.tsx'
import { Nothing } from './nothing.tsx'

export function UnknownPlace() {
  return (
    <>
      <header className="pane-bar">
        <BackLink href="/" />
        <h1 id="detail-title">Not found</h1>
      </header>
      <Nothing icon={<WarningIcon />} title="There is nothing at this address">
        <div className="actions">
          <Link href="/" className="button">
            To the inbox
          </Link>
        </div>
      </Nothing>
    </>
  )
}
