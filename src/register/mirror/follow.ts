import { LOCKS } from '../../db/locks.ts';
import { BEGIN_UNLIMITED, connectionSettings, Session } from '../../db/session.ts';
import { repeat } from '../../repeat.ts';
import { RegisterUnavailable } from '../register.ts';
import { syncMirror, type SyncOptions } from './sync.ts';

const INTERVAL_MS = 5 * 60_000;

export class SyncUnderWay extends Error {
  override readonly name = 'SyncUnderWay';
}

/**
 * Syncs the mirror unless another process does. The lock belongs to a transaction, because a pooler may give each
 * transaction another connection; PostgreSQL releases it when this process dies.
 * @throws {SyncUnderWay | RegisterUnavailable}
 */
export async function syncAlone(
  databaseUrl: string,
  options: SyncOptions,
): Promise<{ changes: number } | undefined> {
  // Losing the lock with its connection is harmless: batches are atomic and feeds never move back.
  const holder = new Session(connectionSettings(databaseUrl));
  await holder.connect();
  try {
    await holder.query(BEGIN_UNLIMITED);
    const { rows } = await holder.query<{ got: boolean }>('select pg_try_advisory_xact_lock($1) as got', [
      LOCKS.sync,
    ]);
    if (!rows[0]?.got) throw new SyncUnderWay('another process is syncing the mirror of the register');
    return await syncMirror(options);
  } finally {
    // A pooler would release the lock only when it closes its own connection.
    await holder.query('rollback').catch(() => undefined);
    await holder.end();
  }
}

/**
 * Keeps the mirror current while the service runs; does nothing while there is none.
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
