import { sql } from 'kysely';
import type { Database } from '../db/connect.ts';
import { LOCKS } from '../db/locks.ts';
import { statement } from '../db/statement.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { listWorkspaces } from '../workspaces/store.ts';
import { RESOURCES } from './schema.ts';
import { numberCommitted } from './store.ts';

/** The most entries that one statement removes, so that it blocks nobody for long. */
const BATCH = 1_000;

const RESOURCE_LIST = sql.lit(`{${RESOURCES.join(',')}}`);

/**
 * Removes the oldest entries that are older than `before`, and records up to which they are gone. Entries
 * are removed in order of id alone, so that a reader either finds all that follow its cursor or learns that it
 * does not. Does nothing while another process is pruning.
 */
const pruneBatch = statement(
  'prune changes',
  (p: { tenant: string; before: string; batch: number }) =>
    sql<{ has_lock: boolean; pruned: number }>`with lock as materialized (
      select pg_try_advisory_xact_lock(${sql.lit(LOCKS.housekeeping)}) as is_held),
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
    select is_held as has_lock, (select count(*) from gone)::integer as pruned from lock`,
);

/**
 * Removes entries of all workspaces that are older than `before`, in small steps. Entries without a number
 * get one first.
 * @returns how many were removed
 */
export async function pruneChanges(
  db: Database,
  before: Date,
  { batch = BATCH, signal }: { batch?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let pruned = 0;
  for (const { workspace_id } of await db.rows(listWorkspaces, {})) {
    const tenant = tenantOfCommand(db, workspace_id, 'housekeeping');
    await numberCommitted(tenant, { toEnd: true });
    for (let more = true; more;) {
      if (signal?.aborted) return pruned;
      const done = (await tenant.row(pruneBatch, { before: before.toISOString(), batch }))!;
      if (!done.has_lock) return pruned;
      pruned += done.pruned;
      more = done.pruned === batch;
    }
  }
  return pruned;
}
