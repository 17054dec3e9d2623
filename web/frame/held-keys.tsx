import { useEffect } from 'react';
import { useOnline } from '../client/online.ts';

/** While something that is typed into loads: the keys meant for it do nothing else. Offline it may take long. */
export function HeldKeys(): null {
  const isOnline = useOnline();
  useEffect(() => {
    if (!isOnline) return undefined;
    const hold = (event: KeyboardEvent) => {
      event.stopPropagation();
      if (!event.ctrlKey && !event.metaKey && event.key !== 'Tab') event.preventDefault();
    };
    window.addEventListener('keydown', hold, { capture: true });
    return () => window.removeEventListener('keydown', hold, { capture: true });
  }, [isOnline]);
  return null;
}
