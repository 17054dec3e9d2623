import { useMemo, useState } from 'react';
import type { Row } from './list-query.ts';

type Chosen = { of: string; rows: ReadonlyMap<string, Row> };

/** Rows that are chosen; another list begins with none. @param of what names the list */
export function useSelection(rows: readonly Row[] | undefined, of: string) {
  const [chosen, setChosen] = useState<Chosen>({ of, rows: new Map() });
  const current = chosen.of === of ? chosen.rows : NONE;
  // As they are now, where they are still in the list.
  const known = useMemo(() => new Map(rows?.map((row) => [row.id, row])), [rows]);
  return {
    ids: useMemo(() => new Set(current.keys()), [current]),
    rows: [...current].map(([id, row]) => known.get(id) ?? row),
    choose(ids: ReadonlySet<string>) {
      const next = [...ids].flatMap((id): [string, Row][] => {
        const row = known.get(id) ?? current.get(id);
        return row ? [[id, row]] : [];
      });
      setChosen({ of, rows: new Map(next) });
    },
    clear: () => setChosen({ of, rows: NONE }),
  };
}

const NONE: ReadonlyMap<string, Row> = new Map();
