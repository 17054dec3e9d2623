import { pruneChanges } from '../changes/prune.ts';
import { connect } from '../db/connect.ts';
import { forgetOldAttempts } from '../sessions/attempts.ts';
import { forgetOldUse } from '../keys/use.ts';
import { deleteOldSteps } from '../sessions/steps.ts';
import { deleteEndedSessions } from '../sessions/store.ts';
import { deleteOldImports, forgetUndo } from '../imports/store.ts';
import { forgetExpiredAnswers } from '../http/idempotency.ts';
import { repeat, type After } from '../repeat.ts';
import { removeExpired, type Retention } from './retention.ts';

const INTERVAL_MS = 60 * 60_000;
const FIRST_AFTER_MS = 30_000;

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes expired data, soon after the start and then every hour. What a failed run has left is removed by the next.
 */
export function startHousekeeping(
  databaseUrl: string,
  {
    changesKeptDays,
    onError,
    after,
    ...retention
  }: Retention & { changesKeptDays: number; onError: (error: unknown) => void; after?: After },
): { stop(): Promise<void> } {
  async function run(signal: AbortSignal): Promise<number> {
    // A connection of its own, so that no request waits for it; closed between runs.
    const db = connect({ url: databaseUrl, connections: 1, onIdleError: onError });
    try {
      await removeExpired(db, retention, { signal });
      await pruneChanges(db, new Date(Date.now() - changesKeptDays * DAY_MS), { signal });
      await forgetExpiredAnswers(db, { signal });
      await forgetOldAttempts(db, { signal });
      await db.rows(deleteEndedSessions, {});
      await forgetOldUse(db);
      await db.rows(deleteOldSteps, {});
      await db.rows(forgetUndo, {});
      await db.rows(deleteOldImports, {});
    } catch (error) {
      onError(error);
    } finally {
      await db.close();
    }
    return INTERVAL_MS;
  }

  return repeat(FIRST_AFTER_MS, run, after);
}
