import { sql } from 'kysely';
import { forgetDeleted } from '../changes/deleted.ts';
import { entryWithoutFields } from '../changes/record.ts';
import { statement } from '../db/statement.ts';
import type { Change, Tenant } from '../db/tenant.ts';
import { noteOf } from './store.ts';

/**
 * Removes the oldest notes that were written before a time, with an entry in the change log for each, and what is kept
 * of deleted ones, which have theirs.
 */
const deleteOldNotes = statement(
  'delete old notes',
  (p: Change & { before: string; batch: number }) => sql<{ id: string }>`with
    old as (
      select id from timeline_entries
      where tenant_id = ${p.tenant} and type = 'add_comment' and created_at < ${p.before}::timestamptz
      order by created_at limit ${p.batch} for update skip locked),
    gone as (
      delete from timeline_entries
      where tenant_id = ${p.tenant} and id = any(array(select id from old))
      returning *),
    ${sql.join([
      entryWithoutFields(noteOf('gone'), p, 'deleted'),
      forgetDeleted(p, 'note', sql`("row" ->> 'created_at')::timestamptz`),
    ])}
    select id::text from gone union all select id from forgotten`,
);

/** Removes one batch of each. @returns the number of notes */
export async function pruneNotes(tenant: Tenant, before: Date, batch: number): Promise<number> {
  return (await tenant.rows(deleteOldNotes, { before: before.toISOString(), batch })).length;
}
