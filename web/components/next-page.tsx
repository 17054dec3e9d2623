import type { ReactNode } from 'react';
import { nextPageOf, type Paged } from '../client/next-page.ts';
import { Button } from './button.tsx';
import { ErrorState } from './error-state.tsx';

/** Below a list that reads on by itself: why there is no more of it. */
export function NextPageError({ list }: { list: Paged | undefined }) {
  if (!list?.isFetchNextPageError) return null;
  const readOn = nextPageOf(list);
  return <ErrorState error={list.error} onRetry={() => void readOn()} />;
}

/** Below a list: reads on, or says why that failed. */
export function NextPageButton({ list, children }: { list: Paged; children: ReactNode }) {
  if (!list.hasNextPage) return null;
  if (list.isFetchNextPageError) return <NextPageError list={list} />;
  const readOn = nextPageOf(list);
  return (
    <Button kind="quiet" isPending={list.isFetchingNextPage} onPress={() => void readOn()}>
      {children}
    </Button>
  );
}
