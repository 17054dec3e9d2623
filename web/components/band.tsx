import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import './band.css';

/** A line across the page about its state, with what can be done about it. */
export function Band({
  kind = 'info',
  actions,
  children,
}: {
  kind?: 'info' | 'warning' | 'danger';
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="band" data-kind={kind}>
      <Icon name={kind === 'info' ? 'info' : 'warning'} />
      <p>{children}</p>
      {actions && <div className="band-actions">{actions}</div>}
    </div>
  );
}
