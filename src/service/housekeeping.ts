import { pruneChanges } from '../changes/prune.ts';
import { connect } from '../db/connect.ts';
import { forgetOldAttempts } from '../sessions/attempts.ts';
import { deleteOldSteps } from '../sessions/steps.ts';
import { deleteEndedSessions } from '../sessions/store.ts';
import { deleteOldImports, forgetUndo } from '../imports/store.ts';
import { forgetExpiredAnswers } from '../http/idempotency.ts';

const INTERVAL_MS = 60 * 60_000;
const FIRST_AFTER_MS = 30_000;

const DAY_MS = 24 * 60 * 60_000;

/**
 * Removes what is kept for a while only, soon after the start and every hour from then on. A run that fails is
 * made up for by the next one.
 */
export function startHousekeeping(
  databaseUrl: string,
  { changesKeptDays, onError }: { changesKeptDays: number; onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  async function run(): Promise<void> {
    // Of its own: between two runs nothing is connected, and no request waits for it.
    const db = connect({ url: databaseUrl, connections: 1, onIdleError: onError });
    try {
      await pruneChanges(db, new Date(Date.now() - changesKeptDays * DAY_MS), { signal });
      await forgetExpiredAnswers(db, { signal });
      await forgetOldAttempts(db, { signal });
      await db.rows(deleteEndedSessions, {});
      await db.rows(deleteOldSteps, {});
      await db.rows(forgetUndo, {});
      await db.rows(deleteOldImports, {});
    } catch (error) {
      onError(error);
    } finally {
      await db.close();
    }
    if (!signal.aborted) later(INTERVAL_MS);
  }

  function later(milliseconds: number): void {
    // A fifth more or less, so that the nodes of one installation take turns.
    const spread = milliseconds * (0.8 + 0.4 * Math.random());
    timer = setTimeout(() => {
      running = run();
    }, spread).unref();
  }

  later(FIRST_AFTER_MS);
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
