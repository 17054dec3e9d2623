import { useMemo, useState } from 'react';
import type { Row } from './list-query.ts';

type Chosen = { of: string; ids: ReadonlySet<string> };

/**
 * Rows that are chosen, as they are now: one that has left the list is not chosen, and another list begins with none.
 * @param of what names the list
 */
export function useSelection(rows: readonly Row[] | undefined, of: string) {
  const [chosen, setChosen] = useState<Chosen>({ of, ids: NONE });
  const wanted = chosen.of === of ? chosen.ids : NONE;
  // A long list is not gone through while none is chosen.
  const kept = useMemo(
    () => (wanted.size > 0 ? (rows ?? []).filter(({ id }) => wanted.has(id)) : []),
    [rows, wanted],
  );
  return {
    ids: useMemo(() => new Set(kept.map(({ id }) => id)), [kept]),
    rows: kept,
    choose: (ids: ReadonlySet<string>) => setChosen({ of, ids }),
    clear: () => setChosen({ of, ids: NONE }),
  };
}

const NONE: ReadonlySet<string> = new Set();
