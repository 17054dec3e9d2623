import { useState } from 'react';

/**
 * The row that keys act on: the same one while it is in the list, also when changes of others move it; then the one in
 * its place.
 */
export function useActive<Row>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
  /** When this changes, the first row is active again. */
  of?: string,
): [current: number, setActive: (at: number) => void] {
  // Until somebody has been in the list, it is the first row, whichever that is.
  const [active, setActive] = useState<number>();
  const [last, setLast] = useState(rows);
  const [lastOf, setLastOf] = useState(of);
  if (of !== lastOf) {
    setLastOf(of);
    setActive(undefined);
  }
  if (rows !== last) {
    setLast(rows);
    const row = active === undefined || of !== lastOf ? undefined : last[active];
    if (row !== undefined) {
      const now = rows[active!];
      const isStill = now !== undefined && idOf(now) === idOf(row);
      const to = isStill ? -1 : rows.findIndex((one) => idOf(one) === idOf(row));
      if (to !== -1) setActive(to);
    }
  }
  return [Math.min(active ?? 0, Math.max(0, rows.length - 1)), setActive];
}
