import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useLayoutEffect, useSyncExternalStore, type RefObject } from 'react';

/** 1 unless the browser's text is larger: the page is larger with it. */
const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Heights in pixels, as in tokens.css; a phone's rows hold two lines. */
export const HEIGHTS = { pointer: 36 * scale, touch: 44 * scale, phone: 60 * scale };

/** The rows in view and some around them, and those of `others` that exist. */
export function rangeWith(range: Range, others: readonly number[]): number[] {
  const there = others.filter((index) => index >= 0 && index < range.count);
  return [...new Set([...defaultRangeExtractor(range), ...there])].toSorted((one, other) => one - other);
}

/** How many rows are rendered above and below those in view: on paper, all. */
export function useOverscan(count: number): number {
  return useSyncExternalStore(watchPrint, () => isPrinting) ? count : OVERSCAN;
}

const OVERSCAN = 12;
let isPrinting = false;

function watchPrint(listener: () => void): () => void {
  const note = ({ type }: Event) => {
    isPrinting = type === 'beforeprint';
    listener();
  };
  window.addEventListener('beforeprint', note);
  window.addEventListener('afterprint', note);
  return () => {
    window.removeEventListener('beforeprint', note);
    window.removeEventListener('afterprint', note);
  };
}

/** Which rows are rendered: those in view with some around them, and the one that holds the focus. */
export function useRows({
  count,
  scroller,
  current,
  isPhone,
}: {
  count: number;
  scroller: RefObject<HTMLElement | null>;
  current: number;
  isPhone: boolean;
}) {
  const isTouch = window.matchMedia('(pointer: coarse)').matches;
  const height = isPhone ? HEIGHTS.phone : isTouch ? HEIGHTS.touch : HEIGHTS.pointer;
  const overscan = useOverscan(count);
  // oxlint-disable-next-line react/incompatible-library -- nothing memoises what it gives: there is no compiler
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan,
    rangeExtractor: (range) => rangeWith(range, [current]),
  });
  // The virtualizer asks for a height only once.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height]);
  return { virtualizer, items: virtualizer.getVirtualItems() };
}
