import {
  infiniteQueryOptions,
  onlineManager,
  QueryClient,
  queryOptions,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';
import { call, type CallOptions, type CallResult, type Route } from './call.ts';
import { CallProblem } from './problem.ts';
import { keepUnanswered } from './unanswered.ts';

type Options<R extends Route> = Omit<CallOptions<R>, 'body' | 'signal' | 'ifMatch' | 'idempotencyKey'>;
type Args<R extends Route> = {} extends Options<R> ? [options?: Options<R>] : [options: Options<R>];

/** How often API keys and members, which the change log leaves out, are read again while they are shown. */
export const UNLOGGED_MS = 2_000;

/** Answers stay fresh for long: live changes say when they are not. */
const FRESH_MS = 60_000;

/** Pause before a query is read again, so that a list can read its next page in between. */
const PAUSE_MS = 1_000;

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        gcTime: 10 * FRESH_MS,
        retry: (count, error) => count < 2 && !(error instanceof CallProblem && error.status < 500),
        retryDelay: (count) => 400 * 2 ** count,
        // Old content stays while new is fetched. Offline it would look like the answer.
        placeholderData: (old: unknown) => (onlineManager.isOnline() ? old : undefined),
      },
      mutations: { networkMode: 'always' },
    },
  });
  keepUnanswered(client);
  return client;
}

/** A GET as a query. Its key begins with the resource, so that a change of the resource fetches it again. */
export function queryOf<R extends Route & `GET ${string}`>(route: R, ...[options]: Args<R>) {
  const loose = (options ?? {}) as CallOptions<R>;
  return queryOptions({
    queryKey: keyOf(route, options),
    queryFn: async ({ signal }): Promise<CallResult<R>> => callLoosely(route, { ...loose, signal }),
  });
}

type Page<R extends Route> =
  CallResult<R> extends { data: { data: (infer Row)[] } } ? { data: { data: Row[] } } & CallResult<R> : never;

/** A list read page by page with its cursor; `rowsOf` gives its rows. */
export function listOf<R extends Route & `GET ${string}`>(route: R, ...[options]: Args<R>) {
  const { query, ...rest } = (options ?? {}) as { query?: Record<string, unknown> };
  return infiniteQueryOptions({
    queryKey: [...keyOf(route, options), 'list'],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam: cursor }): Promise<Page<R>> => {
      const loose = { ...rest, query: { limit: 100, ...query, cursor }, signal };
      return (await callLoosely(route, loose as unknown as CallOptions<R>)) as Page<R>;
    },
    getNextPageParam: (last) => (last.data as unknown as Paged).page.next_cursor ?? undefined,
  });
}

/** All rows of a short list, over all its pages. */
export async function readAll<Row>(
  read: (query: { cursor: string; limit: string }) => Promise<{ data: { data: Row[] } & Paged }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null | undefined = '';
  while (typeof cursor === 'string') {
    const { data } = await read({ cursor, limit: '100' });
    rows.push(...data.data);
    cursor = data.page.next_cursor;
  }
  return rows;
}

/** Queries that were being read when their data changed: they are read once more afterwards. */
const waiting = new WeakSet<Query>();

/**
 * Fetches queries again. A request under way may give an answer older than the change. In a query without data it is
 * cancelled and sent again; in a query with data it is completed, and the query is then fetched once more.
 */
export function fetchAnew(client: QueryClient, predicate: (query: Query) => boolean): void {
  for (const query of client.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' })) {
    if (query.state.data !== undefined) void fetchLater(client, query);
    else void query.cancel(query.isActive() ? { silent: true } : { revert: true });
  }
  void client.invalidateQueries({ predicate: (query) => !waiting.has(query) && predicate(query) });
}

/** Fetches the query once more, after the fetch that is under way and a pause. */
async function fetchLater(client: QueryClient, query: Query): Promise<void> {
  if (waiting.has(query)) return;
  waiting.add(query);
  await query.promise?.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  waiting.delete(query);
  fetchAnew(client, (one) => one === query);
}

type Paged = { page: { next_cursor?: string | null } };

/** The rows of all pages read so far. */
export function rowsOf<Row>(pages: { pages: { data: { data: Row[] } }[] } | undefined): Row[] | undefined {
  return pages?.pages.flatMap((page) => page.data.data);
}

function keyOf(route: Route, options: unknown): QueryKey {
  const [resource] = route.split(' ')[1]!.slice(1).split('/');
  return [resource!, route, options ?? {}];
}

/** Calls without the check that the options fit the route, which the caller has made. */
function callLoosely<R extends Route>(route: R, options: CallOptions<R>): Promise<CallResult<R>> {
  return (call as (route: R, options: CallOptions<R>) => Promise<CallResult<R>>)(route, options);
}
