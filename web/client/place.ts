import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The first page waits no longer than this for the place. */
const MAX_WAIT_MS = 3_000;

/**
 * The place in the change log up to which everything shown has been read, as a cursor. It is asked for before anything
 * else is, so that no change falls between.
 */
export const placeQuery = queryOptions({
  queryKey: ['place'],
  async queryFn({ signal }): Promise<string> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
    const { data } = await call('GET /changes', { query: { cursor: 'now', wait: 0 }, signal: limited });
    return data.page.next_cursor;
  },
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
});
