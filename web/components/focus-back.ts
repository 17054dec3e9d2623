import { useEffect } from 'react';

/**
 * For what takes the focus and goes away: the focus that nothing else has taken goes to `to`, or to the heading of the
 * page. React Aria gives it back to what had it before, but not where that is gone or was nothing.
 */
export function focusIfLost(to?: HTMLElement | null): void {
  // In the first frame React Aria gives it back, or what takes its place takes it.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement, body } = document;
      if (activeElement !== null && activeElement !== body) return;
      const place = to?.isConnected ? to : document.querySelector<HTMLElement>('h1');
      place?.focus({ preventScroll: true });
    }),
  );
}

/**
 * The focus is not lost when the component goes away.
 * @param to selects what takes it, where that is not the heading
 */
export function useFocusBack(to?: string): void {
  useEffect(() => () => focusIfLost(to ? document.querySelector<HTMLElement>(to) : null), [to]);
}
