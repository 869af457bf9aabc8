import type { ReactNode } from 'react'

/* Drawn on 16 × 16, in the colour of the text they stand in. They say nothing to a screen reader: words beside them do. */

function Icon({ children, size = 16 }: { children: ReactNode; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <g stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" strokeLinejoin="round">
        {children}
      </g>
    </svg>
  )
}

export function InboxIcon() {
  return (
    <Icon>
      <path d="M2.2 9.2 4 3.6c.2-.6.7-1 1.3-1h5.4c.6 0 1.1.4 1.3 1l1.8 5.6v2.8a1.4 1.4 0 0 1-1.4 1.4H3.6A1.4 1.4 0 0 1 2.2 12z" />
      <path d="M2.2 9.2h3.1l1 1.7h3.4l1-1.7h3.1" />
    </Icon>
  )
}

export function RunsIcon() {
  return (
    <Icon>
      <path d="M2.6 4h6.8M2.6 8h10.8M2.6 12h5" />
      <circle cx="12.4" cy="4" r="1.2" />
      <circle cx="10.6" cy="12" r="1.2" />
    </Icon>
  )
}

export function NewIcon() {
  return (
    <Icon>
      <path d="M8 3.2v9.6M3.2 8h9.6" />
    </Icon>
  )
}

export function QuestionIcon() {
  return (
    <Icon>
      <path d="M13.6 7.6c0 2.9-2.5 5.2-5.6 5.2-.8 0-1.6-.2-2.3-.4l-3 1 .9-2.5a5 5 0 0 1-1.2-3.3c0-2.9 2.5-5.2 5.6-5.200s5.6 2.3 5.6 5.2" />
      <path d="M6.6 6.300a1.5 1.5 0 1 1 2.2 1.300c-.5.3-.8.6-.8 1.1" />
      <path d="M8 10.200v.1" />
    </Icon>
  )
}

export function ApprovalIcon() {
  return (
    <Icon>
      <path d="M8 1.9 13 3.700v4c0 3-2.1 5.3-5 6.4-2.9-1.1-5-3.4-5-6.400v-4z" />
      <path d="m5.8 8 1.6 1.6 2.9-3.1" />
    </Icon>
  )
}

export function BackIcon() {
  return (
    <Icon>
      <path d="M9.6 3.4 5 8l4.6 4.6" />
    </Icon>
  )
}

export function ForwardIcon() {
  return (
    <Icon>
      <path d="M6.4 3.4 11 8l-4.6 4.6" />
    </Icon>
  )
}

export function CheckIcon() {
  return (
    <Icon>
      <path d="m3.2 8.4 3.2 3.2 6.4-7" />
    </Icon>
  )
}

export function CrossIcon() {
  return (
    <Icon>
      <path d="m4.2 4.2 7.6 7.600M11.8 4.200l-7.6 7.6" />
    </Icon>
  )
}

export function ClockIcon() {
  return (
    <Icon>
      <circle cx="8" cy="8" r="5.7" />
      <path d="M8 4.900V8l2.1 1.4" />
    </Icon>
  )
}

export function ToolIcon() {
  return (
    <Icon>
      <path d="m4 5 2.6 3L4 11M8.4 11.200h3.8" />
    </Icon>
  )
}

export function OfflineIcon() {
  return (
    <Icon>
      <path d="M2.4 6.300A8.4 8.4 0 0 1 5 4.700M8 4.100c2.1 0 4.1.8 5.6 2.200M4.6 8.900a5 5 0 0 1 2-1.200M11.4 8.900a5 5 0 0 0-1-.8M8 12.200v.1M2.6 2.600l10.8 10.8" />
    </Icon>
  )
}

export function WarningIcon() {
  return (
    <Icon>
      <path d="M8 2.4 14.2 13H1.800z" />
      <path d="M8 6.400v3M8 11.200v.1" />
    </Icon>
  )
}

export function StopIcon() {
  return (
    <Icon>
      <rect x="4" y="4" width="8" height="8" rx="1.4" />
    </Icon>
  )
}

export function SendIcon() {
  return (
    <Icon>
      <path d="M8 13V3.400M3.8 7.4 8 3.200l4.2 4.2" />
    </Icon>
  )
}

export function KeysIcon() {
  return (
    <Icon>
      <rect x="1.8" y="4" width="12.4" height="8" rx="1.6" />
      <path d="M4.4 6.600h.1M7 6.600h.1M9.6 6.600h.1M11.8 6.600h.1M5 9.600h6" />
    </Icon>
  )
}
