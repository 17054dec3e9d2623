import { Link } from '@tanstack/react-router';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';

type Cell = readonly [column: { id: string; align?: 'start' | 'end' }, content: ReactNode];

/** One row of a DataTable, at its place among those that do not exist. */
export function TableRow({
  index,
  place,
  isActive,
  isSelected,
  address,
  cells,
  phone,
  onOpen,
  onKeyDown,
  onFocus,
  onIntent,
  onToggle,
}: {
  index: number;
  place: { start: number; size: number };
  isActive: boolean;
  isSelected: boolean | undefined;
  address: string;
  cells: readonly Cell[] | undefined;
  phone: ReactNode;
  onOpen: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onFocus: () => void;
  onIntent: () => void;
  onToggle: (() => void) | undefined;
}) {
  const words = useWords(shared);
  const openUnlessInside = ({ target, metaKey, ctrlKey, shiftKey }: MouseEvent) => {
    const isOwn = target instanceof Element && target.closest('a, button, input, label') !== null;
    if (!isOwn && !metaKey && !ctrlKey && !shiftKey && window.getSelection()?.isCollapsed !== false) onOpen();
  };
  return (
    <div
      role="row"
      className="table-row"
      tabIndex={isActive ? 0 : -1}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={onToggle ? isSelected === true : undefined}
      style={{ transform: `translateY(${place.start}px)`, height: place.size }}
      onFocus={onFocus}
      onPointerEnter={onIntent}
      onClick={openUnlessInside}
      onKeyDown={onKeyDown}
    >
      {onToggle && cells && (
        <span role="gridcell" className="table-cell table-check">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected === true}
            onChange={onToggle}
            aria-label={words.selectRow}
          />
        </span>
      )}
      {cells?.map(([{ id, align }, content], at) => (
        <span key={id} role="gridcell" className="table-cell" data-align={align}>
          {at === 0 ? (
            <Link to={address} tabIndex={-1} className="table-link truncate">
              {content}
            </Link>
          ) : (
            content
          )}
        </span>
      ))}
      {!cells && (
        <span role="gridcell" className="table-cell">
          <Link to={address} tabIndex={-1} className="table-link table-phone">
            {phone}
          </Link>
        </span>
      )}
    </div>
  );
}
