import { useRef, type KeyboardEvent } from 'react';
import { searchText } from '../../client/answers.ts';
import { useFilters } from '../../client/filters.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCommandList, useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { useFound } from './found.ts';
import { Results } from './results.tsx';
import { searchWords } from './words.ts';
import './search.css';

/** The most results of each kind; the lists of companies and contacts have the rest. */
const MOST = 20;

export function SearchPage() {
  const words = useWords(searchWords);
  const { search } = useWords(shared);
  const format = useFormat();
  const { values, set } = useFilters<'q'>();
  const text = values.q ?? '';
  // One more than is shown tells whether there are others.
  const found = useFound(text, MOST + 1);
  const pages = usePages(found.q);
  const line = useRef<HTMLDivElement>(null);
  const results = useRef<HTMLDivElement>(null);
  useCommands([
    {
      id: 'search.field',
      label: words.field,
      group: search,
      keys: '/',
      isHidden: true,
      run() {
        const field = line.current?.querySelector('input');
        field?.focus();
        field?.select();
      },
    },
  ]);
  const count = found.groups.reduce((sum, { items }) => sum + Math.min(items.length, MOST), pages.length);
  const isFull = found.groups.some(({ items }) => items.length > MOST);
  const enter = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    // The field reports what is typed after a pause, and the answer takes time.
    const isCurrent = found.isCurrent && searchText(event.target.value) === found.q;
    const first = isCurrent ? results.current?.querySelector('a') : undefined;
    if (event.key === 'Enter') first?.click();
    else if (event.key === 'ArrowDown') first?.focus();
    else return;
    event.preventDefault();
  };

  return (
    <Page title={search} width="text" focusesItself>
      <div className="search">
        <div ref={line} role="presentation" className="search-line" onKeyDown={enter}>
          <SearchField label={words.field} value={text} onChange={(q) => set({ q })} autoFocus />
        </div>
        <p role="status" className={found.q === '' ? 'muted' : 'visually-hidden'}>
          {found.q !== '' && found.isCurrent && words.found(format.count(count, isFull))}
          {found.q === '' && (
            <>
              {words.prompt} <span className="search-keys">{words.keys}</span>
            </>
          )}
        </p>
        {found.isError && !found.isAnswered ? (
          <ErrorState error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <>
            {found.q !== '' && !found.isAnswered && <Skeleton />}
            {found.isCurrent && count === 0 && <p>{words.none(found.q)}</p>}
            <div ref={results}>
              <Results q={found.q} groups={found.groups} pages={pages} limit={MOST} />
            </div>
          </>
        )}
      </div>
    </Page>
  );
}

/** Pages of the application whose name contains the text. */
function usePages(q: string) {
  const commands = useCommandList();
  if (q === '') return [];
  return commands.flatMap(({ id, label }) =>
    id.startsWith('go ') && label.toLowerCase().includes(q.toLowerCase())
      ? [{ id, label, detail: '', to: id.slice('go '.length) }]
      : [],
  );
}
