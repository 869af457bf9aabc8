export function Brand() {
  return (
    <div className="brand">
      <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="currentColor" />
        <path
          d="M11.5 12.5a4.5 4.5 0 1 1 6.9 3.8c-1.5 1-2.4 1.7-2.4 3.4"
          fill="none"
          stroke="#fff"
          strokeWidth="2.8"
          strokeLinecap="round"
        />
        <circle cx="16" cy="24.2" r="1.8" fill="#fff" />
      </svg>
      <span>Querent</span>
    </div>
  )
}
