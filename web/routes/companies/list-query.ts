import { infiniteQueryOptions } from '@tanstack/react-query';
import { searchText } from '../../client/answers.ts';
import { call, type CallResult } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { sortIn } from '../../client/sorting.ts';

export type Row = CallResult<'GET /companies/overview'>['data']['data'][number];

/** What the address of the list holds. */
export type ListSearch = {
  q?: string;
  status?: string;
  assigned?: string;
  archived?: string;
  deleted?: string;
  sort?: string;
  columns?: string;
};

export const SORTS = ['name', '-updated_at', 'updated_at'] as const;

const ME = 'me';
const PAGE = '100';
const STATUSES = ['lead', 'prospect', 'customer', 'former_customer', 'disqualified'] as const;

/** The filters of an address as the service takes them; what it does not know is left out. */
function filtersOf({ q, status, assigned, archived, deleted }: ListSearch, userId: string) {
  const known = STATUSES.find((name) => name === status);
  const flag = archived === 'true' || archived === 'false' ? ({ archived } as const) : {};
  const text = searchText(q);
  return {
    ...(text ? { q: text } : {}),
    ...(known ? { status: known } : {}),
    ...(assigned ? { assigned_to: assigned === ME ? userId : assigned } : {}),
    ...flag,
    ...(deleted === 'true' ? ({ deleted: 'true' } as const) : {}),
  };
}

/** What the service is asked, for the list and for a file of it. */
export function listQuery(search: ListSearch, userId: string) {
  return { ...filtersOf(search, userId), sort: sortIn(SORTS, search.sort) };
}

/**
 * Live changes fetch no query with this key again as a whole: of a long list that would be hundreds of pages.
 * `useCompanyRows` fetches those in view.
 */
export function rowsQuery(search: ListSearch, userId: string) {
  const query = listQuery(search, userId);
  return infiniteQueryOptions({
    queryKey: ['company-rows', query],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) => readPage(query, pageParam, signal),
    getNextPageParam: (last) => last.data.page.next_cursor ?? undefined,
    // `useCompanyRows` knows better than the clock.
    staleTime: Infinity,
  });
}

export type RowsQuery = ReturnType<typeof listQuery>;

/** One page of the list, read now. */
export function readPage(query: RowsQuery, cursor: string, signal?: AbortSignal) {
  return call('GET /companies/overview', { query: { ...query, limit: PAGE, cursor }, signal });
}

export const COUNT = 'GET /companies/overview/count';

export function countQuery(search: ListSearch, userId: string) {
  return queryOf(COUNT, { query: filtersOf(search, userId) });
}

export function isFiltered({ q, status, assigned, archived }: ListSearch): boolean {
  return [q, status, assigned, archived].some((value) => value !== undefined && value !== '');
}
