import { useEffect, useRef, type ReactNode } from 'react';
import { dictionary, useWords } from '../words/dictionary.ts';
import { useFormat } from '../words/format.ts';
import './toolbar.css';

const toolbarWords = dictionary(
  { filters: 'Filtre', rows: (count: string) => `${count} ${count === '1' ? 'rad' : 'rader'}` },
  { filters: 'Filters', rows: (count) => `${count} ${count === '1' ? 'row' : 'rows'}` },
);

/** The line below a page's heading: search and filters, and how many there are. */
export function Toolbar({
  label,
  count,
  children,
}: {
  label?: string;
  /** Told to screen readers when it changes. */
  count?: { value: number; isCapped: boolean } | undefined;
  children: ReactNode;
}) {
  const words = useWords(toolbarWords);
  const format = useFormat();
  const line = useRef<HTMLDivElement>(null);
  // On a phone the toolbar scrolls: a filter that is set is in view when the list is opened.
  useEffect(() => {
    line.current?.querySelector('[data-chosen]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, []);
  return (
    <div ref={line} className="toolbar" role="group" aria-label={label ?? words.filters}>
      {children}
      <span className="toolbar-count muted" role="status">
        {count && (
          <>
            <span aria-hidden="true">{format.count(count.value, count.isCapped)}</span>
            <span className="visually-hidden">{words.rows(format.count(count.value, count.isCapped))}</span>
          </>
        )}
      </span>
    </div>
  );
}
