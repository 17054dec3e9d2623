import { pruneChanges } from '../changes/prune.ts';
import { connect } from '../db/connect.ts';
import { forgetOldAttempts } from '../sessions/attempts.ts';
import { forgetOldUse } from '../keys/use.ts';
import { deleteOldSteps } from '../sessions/steps.ts';
import { deleteEndedSessions } from '../sessions/store.ts';
import { deleteOldImports, forgetUndo } from '../imports/store.ts';
import { forgetExpiredAnswers } from '../http/idempotency.ts';
import { removeExpired, type Retention } from './retention.ts';

const INTERVAL_MS = 60 * 60_000;
const FIRST_AFTER_MS = 30_000;

const DAY_MS = 24 * 60 * 60_000;

/** Calls `run` once after so many milliseconds, unless it is cancelled before. */
type After = (milliseconds: number, run: () => void) => () => void;

/**
 * Removes what is kept for a while only, soon after the start and every hour from then on. A run that fails is
 * made up for by the next one.
 */
export function startHousekeeping(
  databaseUrl: string,
  {
    changesKeptDays,
    onError,
    after = afterTimeout,
    ...retention
  }: Retention & { changesKeptDays: number; onError: (error: unknown) => void; after?: After },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let cancel: (() => void) | undefined;
  let running = Promise.resolve();

  async function run(): Promise<void> {
    // Of its own: between two runs nothing is connected, and no request waits for it.
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
    if (!signal.aborted) later(INTERVAL_MS);
  }

  function later(milliseconds: number): void {
    // A fifth more or less, so that the nodes of one installation take turns.
    const spread = milliseconds * (0.8 + 0.4 * Math.random());
    cancel = after(spread, () => {
      running = run();
    });
  }

  later(FIRST_AFTER_MS);
  return {
    async stop() {
      stopping.abort();
      cancel?.();
      await running;
    },
  };
}

function afterTimeout(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds).unref();
  return () => clearTimeout(timer);
}
