import { sql } from 'kysely';
import { entryWithoutFields } from '../changes/record.ts';
import { statement } from '../db/statement.ts';
import type { Change, Tenant } from '../db/tenant.ts';
import { noteOf } from './store.ts';

/** Removes the oldest notes that were written before a time, with an entry in the change log for each. */
const deleteOldNotes = statement(
  'delete old notes',
  (p: Change & { before: string; batch: number }) => sql<{ id: number }>`with
    old as (
      select id from timeline_entries
      where tenant_id = ${p.tenant} and type = 'add_comment' and created_at < ${p.before}::timestamptz
      order by created_at limit ${p.batch} for update skip locked),
    gone as (
      delete from timeline_entries
      where tenant_id = ${p.tenant} and id = any(array(select id from old))
      returning *),
    ${entryWithoutFields(noteOf('gone'), p, 'deleted')}
    select id from gone`,
);

/** Removes one batch. @returns the number of notes */
export async function pruneNotes(tenant: Tenant, before: Date, batch: number): Promise<number> {
  return (await tenant.rows(deleteOldNotes, { before: before.toISOString(), batch })).length;
}
