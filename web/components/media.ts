import { useSyncExternalStore } from 'react';

/** The widths at which the frame changes, in em as in the style sheets. Paper is never a phone, and is always roomy. */
const QUERIES = {
  phone: 'screen and (max-width: 44.9375em)',
  wide: '(min-width: 60em)',
  roomy: 'print, (min-width: 75em)',
  broad: '(min-width: 90em)',
};

/** Whether the window fits this query. Use it only for another structure; style sheets give another look. */
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
