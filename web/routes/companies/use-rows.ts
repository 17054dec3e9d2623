import {
  hashKey,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type Query,
  type QueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { CallResult } from '../../client/call.ts';
import { useSession } from '../../client/session.ts';
import { showAllUnanswered } from '../../client/unanswered.ts';
import { COUNT, readPage, rowsQuery, type ListSearch, type Row, type RowsQuery } from './list-query.ts';

/** Changes that come together are fetched together. */
const PAUSE_MS = 100;

type Answer = CallResult<'GET /companies/overview'>;
type Pages = InfiniteData<Answer, string>;
type ListKey = readonly [string, RowsQuery];

/** The rows of the list as far as they are read. After a change, pages are read again as they come into view. */
export function useCompanyRows(search: ListSearch) {
  const client = useQueryClient();
  const { user } = useSession();
  const options = rowsQuery(search, user.id);
  const found = useInfiniteQuery(options);
  const shown = JSON.stringify(options.queryKey);
  const { begin, onRange } = useMemo(() => keepCurrent(client, JSON.parse(shown)), [client, shown]);
  useEffect(begin, [begin]);
  const pages = found.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.data.data), [pages]);
  return { ...found, rows, onRange };
}

/** Keeps a list current from `begin` until what `begin` returns is called. `onRange`: which rows are in view. */
function keepCurrent(client: QueryClient, queryKey: ListKey) {
  const list = hashKey(queryKey);
  const known = () => client.getQueryData<Pages>(queryKey);
  let inView: readonly [first: number, last: number] = [0, 0];
  /** Cursors of pages that were read before the last change. */
  let stale = new Set<string>();
  let reading = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether something changed, or was read here, while the query read a page: that sets the other pages back. */
  let isLate = false;

  const isFetching = () => client.getQueryState(queryKey)?.fetchStatus === 'fetching';
  const staleInView = () => cursorsOf(known(), inView).filter((cursor) => stale.has(cursor));
  const readStale = async () => {
    reading.abort();
    reading = new AbortController();
    for (const cursor of staleInView()) {
      let fresh: Answer;
      try {
        fresh = await readPage(queryKey[1], cursor, reading.signal);
      } catch {
        // What is shown stays; the next change, or another look at these rows, fetches them again.
        return;
      }
      stale.delete(cursor);
      isLate ||= isFetching();
      const isMoved = replacePage(client, queryKey, cursor, fresh);
      showAllUnanswered();
      if (isMoved) return;
    }
  };
  const readSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void readStale(), PAUSE_MS);
  };
  const noteChange = () => {
    isLate = isFetching();
    stale = new Set(known()?.pageParams);
    // What is being read may be from before the change.
    reading.abort();
    readSoon();
  };

  const begin = () => {
    // What was read when the list was last looked at may have changed since.
    if (known()) noteChange();
    // A count that was invalidated, or failed, reports no further change until it has been read again.
    const deaf = new WeakSet<Query>();
    const forget = client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated') return;
      const { query, action } = event;
      const isRead = action.type === 'success' && !action.manual;
      if (query.queryHash === list && isRead && isLate) noteChange();
      if (query.queryKey[0] !== 'companies') return;
      const isCount = query.queryKey[1] === COUNT;
      if (isCount && action.type === 'fetch' && query.state.isInvalidated) deaf.add(query);
      if (action.type === 'invalidate' || (action.type === 'success' && deaf.delete(query))) noteChange();
    });
    return () => {
      clearTimeout(timer);
      reading.abort();
      forget();
    };
  };
  const onRange = (first: number, last: number) => {
    inView = [first, last];
    if (staleInView().length > 0) readSoon();
  };
  return { begin, onRange };
}

/** The cursors of the pages that hold the rows from `first` to `last`. */
function cursorsOf(list: Pages | undefined, [first, last]: readonly [number, number]): readonly string[] {
  let start = 0;
  return (list?.pages ?? []).flatMap((page, at) => {
    const end = start + page.data.data.length;
    const isWithin = end >= first && start <= last;
    start = end;
    return isWithin ? list!.pageParams.slice(at, at + 1) : [];
  });
}

/** @returns whether the next page begins elsewhere now, so that those after this one were dropped */
function replacePage(client: QueryClient, queryKey: ListKey, cursor: string, fresh: Answer): boolean {
  const now = client.getQueryData<Pages>(queryKey);
  const at = now?.pageParams.indexOf(cursor) ?? -1;
  if (!now || at === -1) return true;
  const isMoved = now.pages[at]?.data.page.next_cursor !== fresh.data.page.next_cursor;
  const end = isMoved ? at + 1 : now.pages.length;
  client.setQueryData<Pages>(queryKey, {
    pages: now.pages.slice(0, end).map((page, index) => (index === at ? fresh : page)),
    pageParams: now.pageParams.slice(0, end),
  });
  return isMoved;
}

/** Shows a change of rows before the service has answered. */
export function showInRows(client: QueryClient, change: (row: Row) => Row): void {
  client.setQueriesData<Pages>(
    { queryKey: ['company-rows'] },
    (pages) =>
      pages && {
        ...pages,
        pages: pages.pages.map((page) => ({
          ...page,
          data: { ...page.data, data: page.data.data.map(change) },
        })),
      },
  );
}
