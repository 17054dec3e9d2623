import { pruneNotes } from '../companies/prune-notes.ts';
import type { Database } from '../db/connect.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { pruneTasks } from '../tasks/prune.ts';
import { listWorkspaces } from '../workspaces/store.ts';

/** The most rows that one statement removes, so that it blocks nobody for long. */
const BATCH = 500;

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
  { signal, batch = BATCH }: { signal?: AbortSignal; batch?: number } = {},
): Promise<{ notes: number; tasks: number }> {
  const removed = { notes: 0, tasks: 0 };
  if (notesKeptDays === undefined && tasksKeptDays === undefined) return removed;

  async function all(days: number | undefined, prune: (before: Date) => Promise<number>): Promise<number> {
    if (days === undefined) return 0;
    let count = 0;
    for (let more = true; more;) {
      if (signal?.aborted) return count;
      const pruned = await prune(new Date(Date.now() - days * DAY_MS));
      count += pruned;
      more = pruned === batch;
    }
    return count;
  }

  for (const { workspace_id } of await db.rows(listWorkspaces, {})) {
    const tenant: Tenant = tenantOfCommand(db, workspace_id, 'housekeeping');
    removed.notes += await all(notesKeptDays, (before) => pruneNotes(tenant, before, batch));
    removed.tasks += await all(tasksKeptDays, (before) => pruneTasks(tenant, before, batch));
  }
  return removed;
}
