import type { CallResult } from './call.ts';
import { queryOf } from './queries.ts';

export type Groups = CallResult<'GET /tasks/groups'>;

/** Between questions when the day has ended by the clock here and not yet by that of the service. */
const AGAIN_MS = 30_000;

/**
 * How many tasks are due when; everybody's where `whose` is undefined. Asked for again when the day ends where the
 * workspace is.
 */
export function taskGroups(whose: string | undefined) {
  return { ...queryOf('GET /tasks/groups', { query: { user_id: whose } }), refetchInterval: untilDayEnds };
}

function untilDayEnds({ state: { data } }: { state: { data: Groups | undefined } }): number | false {
  const today = data?.data.data.groups.find(({ group }) => group === 'today');
  if (!today?.due_before) return false;
  const left = Date.parse(today.due_before) - Date.now();
  return left > 0 ? left : AGAIN_MS;
}
