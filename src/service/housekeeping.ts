import { pruneChanges } from '../changes/prune.ts';
import { pruneNotes } from '../companies/prune-notes.ts';
import { putContactsInOrder } from '../contacts/ordered.ts';
import { removeInBatches } from '../db/batches.ts';
import { connect } from '../db/connect.ts';
import { deleteOldAttempts } from '../sessions/attempts.ts';
import { deleteOldUse } from '../keys/use.ts';
import { deleteOldSteps } from '../sessions/steps.ts';
import { deleteEndedSessions } from '../sessions/store.ts';
import { deleteOldImports, deleteOldRows, forgetUndo } from '../imports/store.ts';
import { deleteExpiredAnswers } from '../http/idempotency.ts';
import { repeat, type After } from '../repeat.ts';
import { pruneTasks } from '../tasks/prune.ts';
import { findCutoff, ofEach, pruneEach } from './retention.ts';

const INTERVAL_MS = 60 * 60_000;
const FIRST_AFTER_MS = 30_000;

/** Rows that expire after a fixed time. */
const EXPIRING = {
  'remembered answers': deleteExpiredAnswers,
  'attempts to sign in': deleteOldAttempts,
  sessions: deleteEndedSessions,
  'use of keys': deleteOldUse,
  'steps of signing in': deleteOldSteps,
  'what imports changed': forgetUndo,
  'rows of imports': deleteOldRows,
  imports: deleteOldImports,
};

/**
 * Removes expired data and puts contacts in order, soon after the start and then every hour. What a failed run has left
 * is done by the next.
 * @param options.onError called for each kind of data where this failed; the run goes on with the other kinds
 */
export function startHousekeeping(
  databaseUrl: string,
  options: {
    changesKeptDays: number;
    /** Undefined if notes are kept for good; `tasksKeptDays` likewise. */
    notesKeptDays?: number | undefined;
    tasksKeptDays?: number | undefined;
    onError: (error: unknown, data: string) => void;
    after?: After;
  },
): { stop(): Promise<void> } {
  const { changesKeptDays, notesKeptDays, tasksKeptDays, onError, after } = options;

  async function run(signal: AbortSignal): Promise<number> {
    // A connection of its own, so that no request waits for it; closed between runs.
    await using db = connect({ url: databaseUrl, connections: 1, onIdleError: () => {} });
    const attempt = async (data: string, remove: () => Promise<unknown>) => {
      if (!signal.aborted) await remove().catch((error: unknown) => onError(error, data));
    };
    const removeOld = (data: string, prune: typeof pruneNotes, keptDays: number | undefined) =>
      attempt(data, async () => pruneEach(db, prune, await findCutoff(db, keptDays), { signal }));
    await removeOld('notes', pruneNotes, notesKeptDays);
    await removeOld('tasks', pruneTasks, tasksKeptDays);
    await removeOld('change log', pruneChanges, changesKeptDays);
    for (const [data, statement] of Object.entries(EXPIRING)) {
      await attempt(data, () => removeInBatches(db, statement, { signal }));
    }
    await attempt('order of contacts', () =>
      ofEach(db, (tenant) => putContactsInOrder(tenant, { signal }), { signal }),
    );
    return INTERVAL_MS;
  }

  return repeat(FIRST_AFTER_MS, run, after);
}
