import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

/** A list that is read page by page. */
export type Paged = Pick<
  UseInfiniteQueryResult,
  | 'hasNextPage'
  | 'fetchNextPage'
  | 'isFetchingNextPage'
  | 'isFetchNextPageError'
  | 'fetchStatus'
  | 'refetch'
  | 'error'
>;

/**
 * Reads page after page while `isWanted`. Waits while the rows are read again: reading a next page would cancel that,
 * and a change would stay unseen. Stops after a failure, until somebody tries again.
 */
export function useNextPage(list: Paged | undefined, isWanted: boolean): void {
  const { hasNextPage, isFetchNextPageError, fetchStatus, fetchNextPage } = list ?? {};
  const isDue = isWanted && hasNextPage && !isFetchNextPageError && fetchStatus === 'idle';
  useEffect(() => {
    if (isDue) void fetchNextPage?.({ cancelRefetch: false });
  }, [isDue, fetchNextPage]);
}

/** For a button. @returns a function that reads the next page, once a read that is under way has ended */
export function nextPageOf({ fetchStatus, refetch, fetchNextPage }: Paged): () => Promise<void> {
  return async () => {
    if (fetchStatus !== 'idle') await refetch({ cancelRefetch: false });
    await fetchNextPage();
  };
}
