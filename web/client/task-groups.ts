import type { CallResult } from './call.ts';
import { untilEnd } from './day-end.ts';
import { queryOf } from './queries.ts';

export type Groups = CallResult<'GET /tasks/groups'>;

/**
 * How many tasks are due when; everybody's where `whose` is undefined. Asked for again when the day ends in the
 * workspace's time zone.
 */
export function taskGroups(whose: string | undefined) {
  return { ...queryOf('GET /tasks/groups', { query: { user_id: whose } }), refetchInterval: untilDayEnds };
}

function untilDayEnds({ state: { data } }: { state: { data: Groups | undefined } }): number | false {
  const today = data?.data.data.groups.find(({ group }) => group === 'today');
  return today?.due_before ? untilEnd(today.due_before) : false;
}
