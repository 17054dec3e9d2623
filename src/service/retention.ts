import { pruneNotes } from '../companies/prune-notes.ts';
import { inBatches } from '../db/batches.ts';
import type { Database } from '../db/connect.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { pruneTasks } from '../tasks/prune.ts';
import { listWorkspaces } from '../workspaces/store.ts';

/** How many days rows are kept; undefined for ever. */
export type Retention = { notesKeptDays?: number | undefined; tasksKeptDays?: number | undefined };

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes expired notes and completed tasks of all workspaces, in small steps.
 * @returns how many of each
 */
export async function removeExpired(
  db: Database,
  { notesKeptDays, tasksKeptDays }: Retention,
  options: { signal?: AbortSignal; batch?: number } = {},
): Promise<{ notes: number; tasks: number }> {
  const removed = { notes: 0, tasks: 0 };
  if (notesKeptDays === undefined && tasksKeptDays === undefined) return removed;

  async function all(days: number | undefined, prune: typeof pruneNotes, tenant: Tenant): Promise<number> {
    if (days === undefined) return 0;
    const before = new Date(Date.now() - days * DAY_MS);
    return inBatches((batch) => prune(tenant, before, batch), options);
  }

  for (const { workspace_id } of await db.rows(listWorkspaces, {})) {
    const tenant: Tenant = tenantOfCommand(db, workspace_id, 'housekeeping');
    removed.notes += await all(notesKeptDays, pruneNotes, tenant);
    removed.tasks += await all(tasksKeptDays, pruneTasks, tenant);
  }
  return removed;
}
