import { memo, useId, type MouseEvent, type ReactNode } from 'react';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import type { Column } from './column-header.tsx';

type Props<Row> = {
  row: Row;
  index: number;
  start: number;
  size: number;
  isActive: boolean;
  isSelected: boolean | undefined;
  address: string;
  columns: readonly Column<Row>[];
  /** What a row is on a phone; undefined elsewhere. */
  phone: ((row: Row) => ReactNode) | undefined;
  onOpen: (address: string) => void;
  onFocus: (index: number, address: string) => void;
  onIntent: (address: string) => void;
  onLeave: () => void;
  onToggle: ((row: Row) => void) | undefined;
};

/** One row of a DataTable, positioned by its index. Memoised: it renders again only when its props change. */
export const TableRow = memo(function TableRow<Row>({
  row,
  index,
  start,
  size,
  isActive,
  isSelected,
  address,
  columns,
  phone,
  onOpen,
  onFocus,
  onIntent,
  onLeave,
  onToggle,
}: Props<Row>) {
  const words = useWords(shared);
  const id = useId();
  const openUnlessInside = (event: MouseEvent) => {
    const { target } = event;
    const isIn = (selector: string) => target instanceof Element && target.closest(selector) !== null;
    // With a modifier the link opens elsewhere, as the browser does it.
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey;
    const isMarked = !isIn('a') && window.getSelection()?.isCollapsed === false;
    if (isIn('button, input, label') || !isPlain || isMarked) return;
    event.preventDefault();
    onOpen(address);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid has the keys of its rows
    <div
      role="row"
      className="table-row"
      tabIndex={isActive ? 0 : -1}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={onToggle ? isSelected === true : undefined}
      style={{ transform: `translateY(${start}px)`, height: size }}
      onFocus={() => onFocus(index, address)}
      onBlur={onLeave}
      // Not on entering: rows that scroll past a pointer at rest are entered, too.
      onPointerMove={() => onIntent(address)}
      onPointerLeave={onLeave}
      onClick={openUnlessInside}
    >
      {onToggle && !phone && (
        <span role="gridcell" className="table-cell table-check">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected === true}
            onChange={() => onToggle(row)}
            id={`${id}-check`}
            aria-label={words.selectRow}
            aria-labelledby={`${id}-check ${id}-name`}
          />
        </span>
      )}
      {phone ? (
        <span role="gridcell" className="table-cell">
          <a href={address} tabIndex={-1} className="table-link table-phone">
            {phone(row)}
          </a>
        </span>
      ) : (
        columns.map(({ id: column, align, cell }, at) => (
          <span key={column} role="gridcell" className="table-cell" data-align={align}>
            {at === 0 ? (
              <a id={`${id}-name`} href={address} tabIndex={-1} className="table-link truncate">
                {cell(row)}
              </a>
            ) : (
              cell(row)
            )}
          </span>
        ))
      )}
    </div>
  );
}) as <Row>(props: Props<Row>) => ReactNode;
