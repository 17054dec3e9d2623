import type { ReactNode } from 'react';
import { nextPageOf, type Paged } from '../client/next-page.ts';
import { Button } from './button.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { ErrorState } from './error-state.tsx';

/** Why a list, or the rest of it, could not be read; trying again reads only what is missing. */
export function ListError({ list }: { list: Paged }) {
  const readAgain = list.isFetchNextPageError ? nextPageOf(list) : list.refetch;
  return (
    <ErrorState
      error={list.error}
      isPending={list.fetchStatus === 'fetching'}
      onRetry={() => void readAgain()}
    />
  );
}

/** Below a list that reads on by itself: why no more is shown, and on paper that there is more. */
export function ListEnd({ list }: { list: Paged | undefined }) {
  const { listGoesOn } = useWords(shared);
  if (!list?.hasNextPage) return null;
  return (
    <>
      {list.isFetchNextPageError && <ListError list={list} />}
      <p className="on-paper">{listGoesOn}</p>
    </>
  );
}

/** Below a list: reads on, and tries again what failed, by one button, which keeps the focus. */
export function NextPageButton({ list, children }: { list: Paged; children: ReactNode }) {
  if (!list.hasNextPage) return null;
  const readOn = nextPageOf(list);
  return (
    <>
      {list.isFetchNextPageError && <ErrorState error={list.error} />}
      <Button kind="quiet" isPending={list.isFetchingNextPage} onPress={() => void readOn()}>
        {children}
      </Button>
    </>
  );
}
