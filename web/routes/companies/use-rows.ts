import {
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import type { CallResult } from '../../client/call.ts';
import { useSession } from '../../client/session.ts';
import { COUNT, readPage, rowsQuery, type ListSearch, type Row, type RowsQuery } from './list-query.ts';

/** Changes that come together are fetched together. */
const PAUSE_MS = 100;

type Answer = CallResult<'GET /companies/overview'>;
type Pages = InfiniteData<Answer, string>;

/** The rows of the list as far as they are read. When something changes, the pages in view are read again. */
export function useCompanyRows(search: ListSearch) {
  const client = useQueryClient();
  const { user } = useSession();
  const options = rowsQuery(search, user.id);
  const found = useInfiniteQuery(options);
  const range = useRef<readonly [first: number, last: number]>([0, 0]);
  const reading = useRef<AbortController>(undefined);
  const isLate = useRef(false);
  const shown = JSON.stringify(options.queryKey);
  const refresh = useEffectEvent((list = shown) => {
    const queryKey = JSON.parse(list) as QueryKey;
    // A next page that is on its way brings back the pages that were there when it was asked for.
    const state = client.getQueryState(queryKey);
    isLate.current = state?.data !== undefined && state.fetchStatus === 'fetching';
    reading.current?.abort();
    reading.current = new AbortController();
    void refreshPages(client, queryKey, range.current, reading.current.signal);
  });
  // What was read when the list was last looked at may have changed since.
  useEffect(() => refresh(shown), [shown]);
  const { isFetching } = found;
  useEffect(() => {
    if (!isFetching && isLate.current) refresh();
  }, [isFetching]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // From when the count is invalidated or fails until it is read again, it tells of no further change.
    const deaf = new WeakSet<Query>();
    const forget = client.getQueryCache().subscribe((event) => {
      if (event.type !== 'updated' || event.query.queryKey[0] !== 'companies') return;
      const { query, action } = event;
      const isCount = query.queryKey[1] === COUNT;
      if (isCount && action.type === 'fetch' && query.state.isInvalidated) deaf.add(query);
      if (action.type !== 'invalidate' && !(action.type === 'success' && deaf.delete(query))) return;
      clearTimeout(timer);
      timer = setTimeout(() => refresh(), PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [client]);
  const onRange = useCallback((first: number, last: number) => {
    range.current = [first, last];
  }, []);
  const pages = found.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.data.data), [pages]);
  return { ...found, rows, onRange };
}

/** Reads the pages again in which the rows from `first` to `last` stand; what follows them, where it has moved. */
async function refreshPages(
  client: QueryClient,
  queryKey: QueryKey,
  [first, last]: readonly [number, number],
  signal: AbortSignal,
): Promise<void> {
  const query = queryKey[1] as RowsQuery;
  const known = client.getQueryData<Pages>(queryKey);
  if (!known) return;
  const [from, to] = pagesOf(known.pages, first, last);
  for (let at = from; at <= to; at += 1) {
    const cursor = known.pageParams[at];
    if (cursor === undefined) return;
    let fresh: Answer;
    try {
      fresh = await readPage(query, cursor, signal);
    } catch {
      // What is shown stays; the next change, or another look at the list, fetches it again.
      return;
    }
    const isMoved = replacePage(client, queryKey, { at, cursor, fresh });
    if (isMoved) return;
  }
}

/** The pages that hold the rows from `first` to `last`. */
function pagesOf(pages: readonly Answer[], first: number, last: number): [from: number, to: number] {
  let start = 0;
  const within: number[] = [];
  for (const [at, page] of pages.entries()) {
    const end = start + page.data.data.length;
    if (end >= first && start <= last) within.push(at);
    start = end;
  }
  return [within[0] ?? 0, within.at(-1) ?? 0];
}

/** @returns whether the next page begins elsewhere now, so that those after this one were dropped */
function replacePage(
  client: QueryClient,
  queryKey: QueryKey,
  { at, cursor, fresh }: { at: number; cursor: string; fresh: Answer },
): boolean {
  const now = client.getQueryData<Pages>(queryKey);
  if (now?.pageParams[at] !== cursor) return true;
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
