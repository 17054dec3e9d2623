import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Import, ListedRow } from '../../../src/imports/schema.ts';
import { call } from '../../client/call.ts';
import { rowsOf } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';

/** The rows that the undo left alone, because somebody had changed or deleted their record. */
export function Kept({ id, count, resource }: { id: string; count: number; resource: Import['resource'] }) {
  const said = useWords(words);
  const format = useFormat();
  const [isShown, setIsShown] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['imports', 'kept', id],
    initialPageParam: 0,
    queryFn: async ({ pageParam: after, signal }) => {
      const query = { show: 'kept' as const, after, limit: 500 };
      return call('GET /imports/{id}/rows', { params: { id }, query, signal });
    },
    getNextPageParam: ({ data: { next } }) => next,
    enabled: isShown,
  });
  // The button that was pressed is removed: the list takes the focus.
  useEffect(() => {
    if (isShown) focusIfLost(list.current);
  }, [isShown]);
  const gone = resource === 'contact' ? said.goneContact : said.gone;
  const goOn = async () => {
    await (hasNextPage ? fetchNextPage() : refetch());
    focusIfLost(list.current);
  };
  const addressOf = ({ orgnr, resource_id }: ListedRow) => {
    if (resource === 'company') return `/companies/${orgnr ?? ''}`;
    return `/${resource === 'contact' ? 'contacts' : 'offers'}/${resource_id ?? ''}`;
  };
  return (
    <>
      <p className="import-kept">
        {said.kept(format.number(count))}
        {!isShown && (
          <Button kind="quiet" size="small" onPress={() => setIsShown(true)}>
            {said.showKept}
          </Button>
        )}
      </p>
      {isShown && (
        <ul ref={list} tabIndex={-1} className="import-kept-list">
          {rowsOf(data)?.map((row) => (
            <li key={row.line}>
              {row.label === null ? (
                gone(format.number(row.line))
              ) : (
                <Link to={addressOf(row)}>{row.label}</Link>
              )}
            </li>
          ))}
        </ul>
      )}
      {error && <ErrorState error={error} onRetry={() => void goOn()} focusTo=".import-kept-list" />}
      {hasNextPage && !error && (
        <Button kind="quiet" size="small" isPending={isFetchingNextPage} onPress={() => void goOn()}>
          {said.more}
        </Button>
      )}
    </>
  );
}
