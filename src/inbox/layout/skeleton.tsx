/** Rows that are on their way. A screen reader hears it once. */
export function Skeleton({ rows = 5, label }: { rows?: number; label: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => `row ${row}`).map((key) => (
        <div className="skeleton-row" key={key}>
          <div className="skeleton-line" />
          <div className="skeleton-line" />
        </div>
      ))}
    </div>
  )
}
