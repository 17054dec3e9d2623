import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { rowsOf } from '../../client/queries.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { NextPageButton } from '../../components/next-page.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

type Found<Row> = UseInfiniteQueryResult<InfiniteData<{ data: { data: Row[] } }>>;

/** The rows of a tab, or that they are loading, could not be read, or do not exist yet. */
export function TabList<Row extends { id: string }>({
  found,
  empty,
  children,
}: {
  found: Found<Row>;
  empty: string;
  children: (rows: readonly Row[]) => ReactNode;
}) {
  const said = useWords(words);
  const rows = rowsOf(found.data);
  if (found.error && !rows) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  if (!rows) return <Skeleton rows={4} kind="text" />;
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <>
      {children(rows)}
      {found.hasNextPage && (
        <div>
          <NextPageButton list={found}>{said.more}</NextPageButton>
        </div>
      )}
    </>
  );
}
