import { useEffect } from 'react';

/** Frames within which the element that has the focus is removed, however slowly the page is rendered. */
const FRAMES = 40;

/** A page has one focus, so one watch over it: the last call counts, and the last place that a call has named. */
let watch: { to: HTMLElement | null } | undefined;

/**
 * Call it when the element with the focus is removed, now or soon: the focus moves to `to`, or to the heading of the
 * page, unless something else takes it. React Aria only gives it back to what had it before, if that is still there.
 */
export function focusIfLost(to: HTMLElement | null = null): void {
  const own = { to: to ?? watch?.to ?? null };
  watch = own;
  const had = document.activeElement;
  const look = (left: number, wasLost: boolean) => {
    if (watch !== own) return;
    const { activeElement, body } = document;
    const isLost = activeElement === null || activeElement === body;
    // In the first frame, React Aria may give the focus back, or what replaces the element may take it.
    const isOver = isLost ? wasLost : left <= 0 || activeElement !== had;
    if (!isOver) {
      requestAnimationFrame(() => look(left - 1, isLost));
      return;
    }
    watch = undefined;
    if (!isLost) return;
    const place = own.to?.isConnected ? own.to : document.querySelector<HTMLElement>('h1');
    place?.focus({ preventScroll: true });
  };
  requestAnimationFrame(() => look(FRAMES, false));
}

/**
 * Keeps the focus in the page when the component goes away.
 * @param to selects what takes the focus, where that is not the heading
 */
export function useFocusBack(to?: string): void {
  useEffect(() => () => focusIfLost(to ? document.querySelector<HTMLElement>(to) : null), [to]);
}
