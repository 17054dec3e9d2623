import { useEffect, useEffectEvent } from 'react';
import { useOnline } from '../client/online.ts';

/**
 * Rendered while something that is typed into loads: the keys meant for it have no other effect, and Escape gives
 * it up. Offline, loading may take long, so keys keep their effect.
 */
export function HeldKeys({ onClose }: { onClose: () => void }): null {
  const isOnline = useOnline();
  const giveUp = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOnline) return undefined;
    const hold = (event: KeyboardEvent) => {
      event.stopPropagation();
      if (!event.ctrlKey && !event.metaKey && event.key !== 'Tab') event.preventDefault();
      if (event.key === 'Escape') giveUp();
    };
    window.addEventListener('keydown', hold, { capture: true });
    return () => window.removeEventListener('keydown', hold, { capture: true });
  }, [isOnline]);
  return null;
}
