import type { ReactNode } from 'react';
import { useFocusBack } from './focus-back.ts';
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
      {actions && <Actions>{actions}</Actions>}
    </div>
  );
}

/** An action that succeeds removes the band, and with it the button that has the focus. */
function Actions({ children }: { children: ReactNode }) {
  useFocusBack();
  return <div className="band-actions">{children}</div>;
}
