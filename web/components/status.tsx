import './status.css';

export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';

/** A state as a dot and its word. */
export function Status({ tone = 'neutral', children }: { tone?: Tone; children: string }) {
  return (
    <span className="status" data-tone={tone}>
      {children}
    </span>
  );
}

/** A short word that stands out: a role, "Overdue". */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: string }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** How the states of companies and offers look everywhere. */
export const TONES: Readonly<Record<string, Tone>> = {
  lead: 'neutral',
  prospect: 'accent',
  customer: 'success',
  former_customer: 'warning',
  disqualified: 'danger',
  new: 'neutral',
  sent: 'accent',
  negotiating: 'warning',
  accepted: 'success',
  rejected: 'danger',
};
