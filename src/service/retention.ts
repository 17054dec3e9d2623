import { inBatches } from '../db/batches.ts';
import { readClock } from '../db/clock.ts';
import type { Database } from '../db/connect.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { listWorkspaces } from '../workspaces/store.ts';

/**
 * The time before which rows are removed that are kept for this many days; undefined if they are kept for good. By
 * PostgreSQL's clock, which wrote their times.
 */
export async function findCutoff(
  db: Database,
  keptDays: number | undefined,
): Promise<Temporal.Instant | undefined> {
  if (keptDays === undefined) return undefined;
  return Temporal.Instant.from(await readClock(db)).subtract({ hours: keptDays * 24 });
}

/**
 * Removes the rows of all workspaces that are older than `before`, in small steps.
 * @param prune removes one batch of one workspace
 * @returns how many were removed
 */
export async function pruneEach(
  db: Database,
  prune: (tenant: Tenant, before: Temporal.Instant, batch: number) => Promise<number>,
  before: Temporal.Instant | undefined,
  options: { signal?: AbortSignal; batch?: number } = {},
): Promise<number> {
  let removed = 0;
  if (before === undefined) return removed;
  await ofEach(db, async (tenant) => {
    removed += await inBatches((batch) => prune(tenant, before, batch), options);
  });
  return removed;
}

/** Does something for each workspace in turn. */
export async function ofEach(db: Database, work: (tenant: Tenant) => Promise<void>): Promise<void> {
  for (const { workspace_id } of await db.rows(listWorkspaces, {})) {
    await work(tenantOfCommand(db, workspace_id, 'housekeeping'));
  }
}
