import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useLayoutEffect, type RefObject } from 'react';

/** Heights in pixels, as in tokens.css; a phone's rows hold two lines. */
const HEIGHTS = { pointer: 36, touch: 44, phone: 60 };

/** The rows in view and some around them, and those of `others` that there are. */
export function rangeWith(range: Range, others: readonly number[]): number[] {
  const there = others.filter((index) => index >= 0 && index < range.count);
  return [...new Set([...defaultRangeExtractor(range), ...there])].toSorted((one, other) => one - other);
}

/** Which rows exist: those in view with some around them, and the one that holds the focus. */
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
  // oxlint-disable-next-line react/incompatible-library -- nothing memoises what it gives: there is no compiler
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    rangeExtractor: (range) => rangeWith(range, [current]),
  });
  // It asks for a height once.
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height]);
  return { virtualizer, items: virtualizer.getVirtualItems() };
}
