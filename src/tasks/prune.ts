import { sql } from 'kysely';
import { entryWithoutFields } from '../changes/record.ts';
import { wordsOfGone } from '../db/search.ts';
import { statement } from '../db/statement.ts';
import type { Change, Tenant } from '../db/tenant.ts';
import { task } from './store.ts';
import { taskWords } from './words.ts';

/** Removes completed tasks that were last changed before a time; one that is reopened meanwhile stays. */
const deleteOldTasks = statement(
  'delete old tasks',
  (p: Change & { before: string; batch: number }) => sql<{ id: string }>`with
    old as (
      select id from tasks
      where tenant_id = ${p.tenant} and completed and updated_at < ${p.before}::timestamptz
      order by updated_at limit ${p.batch} for update skip locked),
    gone as (
      delete from tasks where tenant_id = ${p.tenant} and id = any(array(select id from old)) returning *),
    ${sql.join([entryWithoutFields(task, p, 'deleted'), wordsOfGone(taskWords, p.tenant)])}
    select id from gone`,
);

/** Removes one batch. @returns the number of tasks */
export async function pruneTasks(tenant: Tenant, before: Date, batch: number): Promise<number> {
  return (await tenant.rows(deleteOldTasks, { before: before.toISOString(), batch })).length;
}
