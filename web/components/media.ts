import { useSyncExternalStore } from 'react';

/** The widths at which the frame changes; the style sheets have the same. Paper has every column, and what is beside. */
const QUERIES = {
  phone: 'screen and (max-width: 719px)',
  wide: '(min-width: 960px)',
  roomy: 'print, (min-width: 1200px)',
  broad: '(min-width: 1440px)',
};

/** Whether the window is as wide as that. Use it only where another structure is needed, not another look. */
export function useMedia(name: keyof typeof QUERIES): boolean {
  const query = window.matchMedia(QUERIES[name]);
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => query.matches,
  );
}
