import { useMemo, useState } from 'react';
import type { useCompanyRows } from './use-rows.ts';
import type { Row } from './list-query.ts';

type List = Pick<ReturnType<typeof useCompanyRows>, 'rows' | 'hasNextPage'>;

/** `seen`: the chosen rows as they were last seen in `rows`, the first `depth` of which were there to choose from. */
type Chosen = { of: string; rows: List['rows']; seen: ReadonlyMap<string, Row>; depth: number };

/**
 * Rows that are chosen, as they are now: one that has left the list is not chosen, and another list begins with none.
 * One that is not read at the moment, because an earlier page has moved, may still be in the list.
 * @param of what names the list
 */
export function useSelection(list: List, of: string) {
  const { rows } = list;
  const [kept, setKept] = useState<Chosen>({ of, rows, seen: NONE, depth: 0 });
  let chosen = kept;
  // A long list is not searched while no row is chosen.
  if (kept.seen.size > 0 && (kept.of !== of || kept.rows !== rows)) {
    chosen = kept.of === of ? seenAgain(kept, list) : { of, rows, seen: NONE, depth: 0 };
    setKept(chosen);
  }
  const { seen, depth } = chosen;
  return {
    ids: useMemo(() => new Set(seen.keys()), [seen]),
    rows: useMemo(() => [...seen.values()], [seen]),
    /** Whether some may be beyond the part of the list that is read. */
    isPartial: useMemo(() => seen.size > rowsOf(seen, rows).length, [seen, rows]),
    choose: (ids: ReadonlySet<string>) => {
      const found = rowsOf(ids, rows);
      const others = [...seen].filter(([id]) => ids.has(id));
      setKept({
        of,
        rows,
        seen: new Map([...others, ...found.map((row) => [row.id, row] as const)]),
        depth: Math.max(depth, rows?.length ?? 0),
      });
    },
    clear: () => setKept({ of, rows, seen: NONE, depth: 0 }),
  };
}

const NONE: ReadonlyMap<string, Row> = new Map();

function rowsOf(ids: Pick<ReadonlySet<string>, 'has' | 'size'>, rows: List['rows'] = []): readonly Row[] {
  return ids.size > 0 ? rows.filter(({ id }) => ids.has(id)) : [];
}

/** Drops missing rows only if the list is read to its end, or beyond the rows that there were to choose from. */
function seenAgain(chosen: Chosen, { rows, hasNextPage }: List): Chosen {
  const found = rowsOf(chosen.seen, rows).map((row) => [row.id, row] as const);
  const isRead = rows !== undefined && (!hasNextPage || rows.length > chosen.depth);
  return { ...chosen, rows, seen: new Map(isRead ? found : [...chosen.seen, ...found]) };
}
