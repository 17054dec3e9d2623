import { sql } from 'kysely';
import { forgetDeleted } from '../changes/deleted.ts';
import { entryWithoutFields } from '../changes/record.ts';
import { wordsOfGone } from '../db/search.ts';
import { statement } from '../db/statement.ts';
import type { Change, Tenant } from '../db/tenant.ts';
import { task, taskWords } from './store.ts';

/** The time that counts for a deleted task: an open one would have stayed, so that of its deletion. */
const ENDED = sql`case
  when ("row" ->> 'completed')::boolean then ("row" ->> 'updated_at')::timestamptz else deleted_at end`;

/**
 * Removes completed tasks that were last changed before a time, and what is kept of deleted ones; one that is reopened
 * meanwhile stays.
 */
const deleteOldTasks = statement(
  'delete old tasks',
  (p: Change & { before: string; batch: number }) => sql<{ id: string }>`with
    old as (
      select id from tasks
      where tenant_id = ${p.tenant} and completed and updated_at < ${p.before}::timestamptz
      order by updated_at limit ${p.batch} for update skip locked),
    gone as (
      delete from tasks where tenant_id = ${p.tenant} and id = any(array(select id from old)) returning *),
    ${sql.join([
      entryWithoutFields(task, p, 'deleted'),
      wordsOfGone(taskWords, p.tenant),
      forgetDeleted(p, 'task', ENDED),
    ])}
    select id::text from gone union all select id from forgotten`,
);

/** Removes one batch of each. @returns the number of tasks */
export async function pruneTasks(tenant: Tenant, before: Date, batch: number): Promise<number> {
  return (await tenant.rows(deleteOldTasks, { before: before.toISOString(), batch })).length;
}
