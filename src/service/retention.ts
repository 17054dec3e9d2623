import { inBatches } from '../db/batches.ts';
import { readClock } from '../db/clock.ts';
import type { Database } from '../db/connect.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { reasonOf } from '../db/unavailable.ts';
import { listWorkspaces } from '../workspaces/store.ts';

/**
 * The time before which rows that are kept for `keptDays` days are removed; undefined if they are kept for good. It
 * follows PostgreSQL's clock, which also set the times of the rows.
 */
export async function findCutoff(
  db: Database,
  keptDays: number | undefined,
): Promise<Temporal.Instant | undefined> {
  if (keptDays === undefined) return undefined;
  return Temporal.Instant.from(await readClock(db)).subtract({ hours: keptDays * 24 });
}

/**
 * Removes rows that are older than `before` from all workspaces, in small steps.
 * @param prune removes one batch of one workspace
 * @returns how many were removed
 */
export async function pruneEach(
  db: Database,
  prune: (tenant: Tenant, before: Temporal.Instant, batch: number) => Promise<number>,
  before: Temporal.Instant | undefined,
  options: { signal?: AbortSignal | undefined; batch?: number } = {},
): Promise<number> {
  let removed = 0;
  if (before === undefined) return removed;
  await ofEach(
    db,
    async (tenant) => {
      removed += await inBatches((batch) => prune(tenant, before, batch), options);
    },
    options,
  );
  return removed;
}

/**
 * Calls `work` for each workspace in turn, and goes on after a workspace where it failed.
 * @throws at the end, naming the first workspace where it failed; at once when the database does not answer
 */
export async function ofEach(
  db: Database,
  work: (tenant: Tenant) => Promise<void>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const failures: Error[] = [];
  for (const { workspace_id } of await db.rows(listWorkspaces, {})) {
    if (signal?.aborted) return;
    try {
      await work(tenantOfCommand(db, workspace_id, 'housekeeping'));
    } catch (cause) {
      await readClock(db);
      failures.push(new Error(`workspace ${workspace_id}: ${reasonOf(cause)}`, { cause }));
    }
  }
  const [first, ...others] = failures;
  if (others.length > 0)
    throw new Error(`${failures.length} workspaces, first ${first!.message}`, { cause: first });
  if (first) throw first;
}
