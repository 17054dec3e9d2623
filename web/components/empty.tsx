import type { ReactNode } from 'react';
import './states.css';

/** For a place where nothing is yet: one sentence on what will be here, and one action, or two side by side. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="state">
      <p>{children}</p>
      {action && <div className="state-actions">{action}</div>}
    </div>
  );
}
