import { CommandError } from '../../cli/output.ts';
import { LOCKS, tryLock } from '../../db/locks.ts';
import { withSession } from '../../db/session.ts';
import { repeat } from '../../repeat.ts';
import { RegisterUnavailable } from '../register.ts';
import { syncMirror, type SyncOptions } from './sync.ts';

const INTERVAL_MS = 5 * 60_000;

class SyncUnderWay extends CommandError {}

/**
 * Syncs the mirror unless another process does. The lock belongs to a transaction, because a pooler may give each
 * transaction another connection; PostgreSQL releases it when this process dies.
 * @throws {SyncUnderWay | RegisterUnavailable}
 */
export function syncAlone(
  databaseUrl: string,
  options: SyncOptions,
): Promise<{ changes: number } | undefined> {
  // Losing the lock with its connection is harmless: batches are atomic, and the position in a feed never moves back.
  return withSession(databaseUrl, async (holder) => {
    try {
      await holder.beginUnlimited();
      if (!(await tryLock(holder, LOCKS.sync))) {
        throw new SyncUnderWay('another process is syncing the mirror of the register');
      }
      return await syncMirror(options);
    } finally {
      // A pooler would release the lock only when it closes its own connection.
      await holder.query('rollback').catch(() => undefined);
    }
  });
}

/**
 * Keeps the mirror current while the service runs; does nothing while there is no mirror.
 * @param onError called for every sync that fails; the next one continues where it stopped
 */
export function followFeeds(
  databaseUrl: string,
  options: Omit<SyncOptions, 'signal'> & { intervalMs?: number; onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const { intervalMs = INTERVAL_MS, onError } = options;
  return repeat(Math.min(intervalMs, 1_000), async (signal) => {
    try {
      await syncAlone(databaseUrl, { ...options, signal });
    } catch (error) {
      if (!(error instanceof SyncUnderWay)) onError(error);
      if (error instanceof RegisterUnavailable) return Math.max(intervalMs, error.retryAfterSeconds * 1_000);
    }
    return intervalMs;
  });
}
