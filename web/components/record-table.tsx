import type { ReactNode } from 'react';
import { useFocusBack } from './focus-back.ts';
import { useMedia } from './media.ts';
import './record-table.css';

export type RecordColumn<Row> = {
  id: string;
  label: string;
  align?: 'start' | 'end';
  /** Holds the menu of the row: at its corner on a phone. */
  isActions?: boolean;
  /** Nothing is shown on a phone for undefined. */
  cell: (row: Row) => ReactNode;
};

/**
 * A short table of things that are managed in their rows: keys, members. On a phone each row is a card of lines,
 * the first column its heading. For lists without end there is DataTable.
 */
export function RecordTable<Row>({
  label,
  rows,
  idOf,
  columns,
}: {
  label: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  columns: readonly RecordColumn<Row>[];
}) {
  const isPhone = useMedia('phone');
  return (
    <table className="records" aria-label={label}>
      <thead className={isPhone ? 'visually-hidden' : ''}>
        <tr>
          {columns.map(({ id, label: name, align, isActions }) => (
            <th key={id} scope="col" data-align={align}>
              {isActions ? <span className="visually-hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <TableRow key={idOf(row)}>
            {columns.map(({ id, label: name, align, isActions, cell }, at) =>
              at === 0 ? (
                <th key={id} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td
                  key={id}
                  data-align={align}
                  data-actions={isActions ? '' : undefined}
                  data-label={isPhone && !isActions ? name : undefined}
                >
                  {cell(row)}
                </td>
              ),
            )}
          </TableRow>
        ))}
      </tbody>
    </table>
  );
}

/** A row may be removed while its menu has the focus. */
function TableRow({ children }: { children: ReactNode }) {
  useFocusBack();
  return <tr>{children}</tr>;
}
