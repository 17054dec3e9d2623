import { useMemo, useState } from 'react';
import type { Row } from './list-query.ts';

type Chosen = { of: string; rows: ReadonlyMap<string, Row> };

/** Rows that are chosen; another list begins with none. @param of what names the list */
export function useSelection(rows: readonly Row[] | undefined, of: string) {
  const [chosen, setChosen] = useState<Chosen>({ of, rows: new Map() });
  const current = chosen.of === of ? chosen.rows : NONE;
  // As they are now, where they are still in the list. Of a long one, nothing is made while none is chosen.
  const known = useMemo(
    () => new Map(current.size > 0 ? rows?.map((row) => [row.id, row]) : []),
    [rows, current.size],
  );
  return {
    ids: useMemo(() => new Set(current.keys()), [current]),
    rows: [...current].map(([id, row]) => known.get(id) ?? row),
    choose(ids: ReadonlySet<string>) {
      const next = [...ids].flatMap((id): [string, Row][] => {
        const row = current.get(id) ?? rows?.find((one) => one.id === id);
        return row ? [[id, row]] : [];
      });
      setChosen({ of, rows: new Map(next) });
    },
    clear: () => setChosen({ of, rows: NONE }),
  };
}

const NONE: ReadonlyMap<string, Row> = new Map();
