import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useIntent } from '../client/intent.ts';
import { useNextPage, type Paged } from '../client/next-page.ts';
import type { Sorting } from '../client/sorting.ts';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { ColumnHeader, type Column } from './column-header.tsx';
import { ListEnd } from './next-page.tsx';
import { TableRow } from './table-row.tsx';
import { useMedia } from './media.ts';
import { useActive } from './use-active.ts';
import { useMoveKeys } from './use-move-keys.ts';
import { useRows } from './use-rows.ts';
import './data-table.css';

export type { Column } from './column-header.tsx';

/** With more than FITTING columns, the table scrolls sideways, and each has LEAST units on average. */
const FITTING = 9;
const LEAST = 34;

/** Rows beyond those in view that are read before somebody scrolls there: about a page of the API. */
const READ_AHEAD = 100;

/**
 * A table that renders only the rows in view, and reads more as one scrolls. Arrows or j and k move, Home and End go to
 * the ends, Enter opens, x selects. On a phone each row is what `phone` makes of it.
 */
export function DataTable<Row>({
  label,
  rows,
  idOf,
  addressOf,
  columns,
  phone,
  sorting,
  of = '',
  pages,
  onRange,
  selected,
  onSelect,
}: {
  label: string;
  rows: readonly Row[];
  idOf: (row: Row) => string;
  /** Where a row leads. */
  addressOf: (row: Row) => string;
  /** The first holds what names the row, and becomes the link. */
  columns: readonly Column<Row>[];
  phone: (row: Row) => ReactNode;
  sorting?: Sorting | undefined;
  /** What the list is searched for. When this or the sort changes, the list begins at its top. */
  of?: string;
  /** Where the rows are read page by page. */
  pages?: Paged;
  /** Told which rows are in view. */
  onRange?: ((first: number, last: number) => void) | undefined;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
}) {
  const words = useWords(shared);
  const navigate = useNavigate();
  const isPhone = useMedia('phone');
  const intent = useIntent();
  const scroller = useRef<HTMLDivElement>(null);
  const shown = `${sorting?.by} ${of}`;
  const [current, setActive] = useActive(rows, idOf, shown);
  const lastShown = useRef(shown);
  useEffect(() => {
    if (lastShown.current !== shown) scroller.current?.scrollTo({ top: 0 });
    lastShown.current = shown;
  }, [shown]);
  const wantsFocus = useRef<number>(undefined);
  const hasFocus = useRef(false);
  const { virtualizer, items } = useRows({ count: rows.length, scroller, current, isPhone });

  const last = items.at(-1)?.index ?? 0;
  useNextPage(pages, last >= rows.length - READ_AHEAD);

  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  useEffect(() => onRange?.(startIndex, endIndex), [onRange, startIndex, endIndex]);

  /** The row may not be rendered yet: the rendering that adds it calls this again. */
  const focusWanted = () => {
    // The row that had the focus is gone: somebody else's change can remove a row.
    if (hasFocus.current && document.activeElement === document.body) wantsFocus.current ??= current;
    if (wantsFocus.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wantsFocus.current}"]`);
    if (!row) return;
    wantsFocus.current = undefined;
    row.focus({ preventScroll: true });
  };
  useEffect(focusWanted);

  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    wantsFocus.current = next;
    setActive(next);
    virtualizer.scrollToIndex(next);
    // In a low window the page scrolls, too.
    scroller.current?.scrollIntoView({ block: 'nearest' });
    focusWanted();
  };
  const isInside = () => scroller.current?.contains(document.activeElement) ?? false;
  useMoveKeys(label, (by) => move(isInside() ? current + by : current));

  const toggle = useCallback(
    (row: Row) => {
      const next = new Set(selected);
      if (!next.delete(idOf(row))) next.add(idOf(row));
      onSelect?.(next);
    },
    [selected, idOf, onSelect],
  );
  const open = useCallback((address: string) => void navigate({ to: address }), [navigate]);
  const focus = useCallback(
    (index: number, address: string) => {
      setActive(index);
      intent.begin(address);
    },
    [intent, setActive],
  );
  const page = () => Math.max(1, items.length - 12);
  const press = (event: KeyboardEvent) => {
    if (event.target instanceof Element && !event.target.matches('[role=row]')) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[current];
    const actions: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      PageDown: () => move(current + page()),
      PageUp: () => move(current - page()),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => row && open(addressOf(row)),
      x: () => row && toggle(row),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  const tracks = [
    ...(onSelect && !isPhone ? ['var(--row)'] : []),
    ...columns.map(({ width }) => width ?? 'minmax(0, 1fr)'),
  ].join(' ');
  const least = !isPhone && columns.length > FITTING ? `calc(var(--unit) * ${columns.length * LEAST})` : 0;
  return (
    <>
      <div
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={pages?.hasNextPage ? -1 : rows.length + 1}
        aria-multiselectable={onSelect ? true : undefined}
        data-phone={isPhone || undefined}
        style={{ '--tracks': tracks, '--least': least } as React.CSSProperties}
        tabIndex={-1}
        onKeyDown={press}
        onFocus={() => {
          hasFocus.current = true;
        }}
        onBlur={() => {
          hasFocus.current = false;
        }}
      >
        <div role="rowgroup" className={isPhone ? 'visually-hidden' : 'table-head'}>
          <div role="row" aria-rowindex={1} className="table-row">
            {onSelect && !isPhone && (
              <span role="columnheader" className="table-cell">
                <span className="visually-hidden">{words.selectRow}</span>
              </span>
            )}
            {columns.map((column) => (
              <ColumnHeader key={column.id} column={column} sorting={sorting} />
            ))}
          </div>
        </div>
        <div ref={scroller} role="rowgroup" className="table-body">
          <div role="presentation" className="table-space" style={{ height: virtualizer.getTotalSize() }}>
            {items.map(({ index, start, size }) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <TableRow
                  key={idOf(row)}
                  row={row}
                  index={index}
                  start={start}
                  size={size}
                  isActive={index === current}
                  isSelected={selected?.has(idOf(row))}
                  address={addressOf(row)}
                  columns={columns}
                  phone={isPhone ? phone : undefined}
                  onOpen={open}
                  onFocus={focus}
                  onIntent={intent.begin}
                  onLeave={intent.end}
                  onToggle={onSelect ? toggle : undefined}
                />
              );
            })}
          </div>
        </div>
      </div>
      <ListEnd list={pages} />
    </>
  );
}
