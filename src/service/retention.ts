import { pruneNotes } from '../companies/prune-notes.ts';
import type { Database } from '../db/connect.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { pruneTasks } from '../tasks/prune.ts';
import { listWorkspaces } from '../workspaces/store.ts';

/** Rows that one statement removes at most: it holds up nobody. */
const BATCH = 500;

/** Days for which something is kept; undefined for good. */
export type Retention = { notesKeptDays?: number | undefined; tasksKeptDays?: number | undefined };

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes notes, and tasks that are done, past their time, of all workspaces and in small steps.
 * @returns how many of each
 */
export async function removeExpired(
  db: Database,
  { notesKeptDays, tasksKeptDays }: Retention,
  { signal, batch = BATCH, now = Date.now() }: { signal?: AbortSignal; batch?: number; now?: number } = {},
): Promise<{ notes: number; tasks: number }> {
  const removed = { notes: 0, tasks: 0 };
  if (notesKeptDays === undefined && tasksKeptDays === undefined) return removed;

  async function all(days: number | undefined, prune: (before: Date) => Promise<number>): Promise<number> {
    if (days === undefined) return 0;
    let count = 0;
    for (let more = true; more;) {
      if (signal?.aborted) return count;
      const gone = await prune(new Date(now - days * DAY_MS));
      count += gone;
      more = gone === batch;
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
