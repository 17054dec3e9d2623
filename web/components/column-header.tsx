import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

export type Column<Row> = {
  id: string;
  label: string;
  /** A track of CSS grid: `minmax(0, 2fr)`, `max-content`. */
  width?: string;
  align?: 'start' | 'end';
  /** What the list's `sort` parameter calls it; without it the column is not sorted by. */
  sort?: string;
  cell: (row: Row) => ReactNode;
};

export function ColumnHeader<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  const { label, align, sort: name } = column;
  const isUp = name !== undefined && sort === name;
  const isDown = name !== undefined && sort === `-${name}`;
  return (
    <span
      role="columnheader"
      className="table-cell"
      data-align={align}
      aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}
    >
      {name === undefined || !onSort ? (
        <span className="truncate">{label}</span>
      ) : (
        <button type="button" className="table-sort" onClick={() => onSort(isUp ? `-${name}` : name)}>
          <span className="truncate">{label}</span>
          {(isUp || isDown) && <Icon name={isUp ? 'up' : 'down'} />}
        </button>
      )}
    </span>
  );
}
