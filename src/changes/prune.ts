import { sql } from 'kysely';
import { LOCKS } from '../db/locks.ts';
import { statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { numberCommitted, RESOURCE_LIST } from './store.ts';

/**
 * Removes the oldest entries that are older than `before`, and records the last id removed. Entries are removed
 * strictly in order of id, so that a reader either finds all that follow its cursor or learns that some are missing.
 * Removes nothing while another process does.
 */
const pruneBatch = statement(
  'prune changes',
  (p: { tenant: string; before: string; batch: number }) =>
    sql<{ pruned: number }>`with lock as materialized (
      select pg_try_advisory_xact_lock(${sql.lit(LOCKS.pruneChanges)}) as is_held),
    oldest as (
      select entry.* from lock, change_counters c, unnest(${RESOURCE_LIST}::text[]) as wanted,
        lateral (
          select id, at from changes
          where tenant_id = ${p.tenant} and resource = wanted and id > c.pruned_id
          order by id limit ${p.batch}
        ) as entry
      where lock.is_held and c.tenant_id = ${p.tenant}
      order by entry.id limit ${p.batch}),
    judged as (select id, bool_and(at < ${p.before}::timestamptz) over (order by id) as is_old from oldest),
    gone as (
      delete from changes
      where tenant_id = ${p.tenant} and resource = any(${RESOURCE_LIST}::text[])
        and id <= (select max(id) from judged where is_old)
      returning id, salt),
    last as (select id, salt from gone order by id desc limit 1),
    moved as (
      update change_counters set pruned_id = last.id, pruned_salt = last.salt from last
      where change_counters.tenant_id = ${p.tenant})
    select count(*)::integer as pruned from gone`,
);

/** Removes one batch; entries without a number get one first. @returns the number of entries */
export async function pruneChanges(tenant: Tenant, before: Temporal.Instant, batch: number): Promise<number> {
  await numberCommitted(tenant, { toEnd: true });
  return (await tenant.row(pruneBatch, { before: before.toString(), batch }))!.pruned;
}
