import { useAsks, useConnection, useServerNow } from 'querent/react'

/** Everything that waits for me, whichever agent asks. */
export function Inbox() {
  const { asks, loading } = useAsks()
  const { connection, reconnect } = useConnection()
  const now = useServerNow()
  if (connection.state === 'offline') {
    return (
      <p role="alert">
        {connection.error.message}
        {!connection.error.retry && (
          <button type="button" onClick={reconnect}>
            Try again
          </button>
        )}
      </p>
    )
  }
  if (loading) return <p>…</p>
  return (
    <ul aria-label="Inbox">
      {asks.map(({ id, agent, until }) => (
        <li key={id}>
          {agent} asks
          {until && now && `, for ${Math.ceil((Date.parse(until) - now) / 1000)} seconds more`}
        </li>
      ))}
    </ul>
  )
}
