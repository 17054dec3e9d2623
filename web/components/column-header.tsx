import type { ReactNode } from 'react';
import type { Sorting } from '../client/sorting.ts';
import { Icon } from './icon.tsx';

export type Column<Row> = {
  id: string;
  label: string;
  /** A track of CSS grid: `minmax(0, 2fr)`, `max-content`. */
  width?: string;
  align?: 'start' | 'end';
  /** The column's name in the list's `sort` parameter. Without it, the list cannot be sorted by the column. */
  sort?: string;
  cell: (row: Row) => ReactNode;
};

export function ColumnHeader<Row>({
  column: { label, align, sort: name },
  sorting,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
}) {
  const ways = sorting?.sorts.filter((sort) => sort === name || sort === `-${name}`) ?? [];
  const at = sorting ? ways.indexOf(sorting.by) : -1;
  const isDown = ways[at]?.startsWith('-');
  // A column that sorts in one direction only stays as it is.
  const next = ways[(at + 1) % ways.length];
  return (
    <span
      role="columnheader"
      className="table-cell"
      data-align={align}
      aria-sort={at === -1 ? undefined : isDown ? 'descending' : 'ascending'}
    >
      {!sorting || next === undefined ? (
        <span className="truncate">{label}</span>
      ) : (
        <button
          type="button"
          className="table-sort"
          aria-disabled={next === sorting.by || undefined}
          onClick={() => {
            if (next !== sorting.by) sorting.set(next);
          }}
        >
          <span className="truncate">{label}</span>
          {at !== -1 && <Icon name={isDown ? 'down' : 'up'} />}
        </button>
      )}
    </span>
  );
}
