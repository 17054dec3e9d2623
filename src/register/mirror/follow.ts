import { LOCKS } from '../../db/locks.ts';
import { BEGIN_UNLIMITED, connectionSettings, Session } from '../../db/session.ts';
import { RegisterUnavailable } from '../register.ts';
import { syncMirror, type SyncOptions } from './sync.ts';

/** Milliseconds between two looks at the feeds. */
const INTERVAL = 5 * 60_000;

/** Another process follows the feeds just now. */
export class SyncUnderWay extends Error {
  override readonly name = 'SyncUnderWay';
}

/**
 * Syncs the mirror, one process at a time. PostgreSQL lets go of the lock when this process dies. It belongs to a
 * transaction that stays open: a pooler may give each transaction another connection.
 * @throws {SyncUnderWay} when another process has the lock
 * @throws {RegisterUnavailable}
 */
export async function syncAlone(
  databaseUrl: string,
  options: SyncOptions,
): Promise<{ changes: number } | undefined> {
  // A lock lost with its connection does no harm: slices are carried out whole and feeds never move back.
  const holder = new Session(connectionSettings(databaseUrl));
  await holder.connect();
  try {
    await holder.query(BEGIN_UNLIMITED);
    const { rows } = await holder.query<{ got: boolean }>('select pg_try_advisory_xact_lock($1) as got', [
      LOCKS.sync,
    ]);
    if (!rows[0]?.got) throw new SyncUnderWay('another process follows the feeds of the register just now');
    return await syncMirror(options);
  } finally {
    // Said rather than left to the end of the connection, of which a pooler tells PostgreSQL later.
    await holder.query('rollback').catch(ignore);
    await holder.end();
  }
}

/**
 * Keeps the mirror current for as long as the service runs; does nothing while there is none.
 * @param onError called for every sync that fails; the next one goes on where it stopped
 */
export function followFeeds(
  databaseUrl: string,
  options: Omit<SyncOptions, 'signal'> & { intervalMs?: number; onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  async function run(): Promise<void> {
    let wait = options.intervalMs ?? INTERVAL;
    try {
      await syncAlone(databaseUrl, { ...options, signal: stopping.signal });
    } catch (error) {
      if (error instanceof RegisterUnavailable) wait = Math.max(wait, error.retryAfterSeconds * 1_000);
      if (!(error instanceof SyncUnderWay)) options.onError(error);
    }
    if (!stopping.signal.aborted) later(wait);
  }

  function later(milliseconds: number): void {
    // A fifth more or less, so that the nodes of one installation take turns.
    const spread = milliseconds * (0.8 + 0.4 * Math.random());
    timer = setTimeout(() => {
      running = run();
    }, spread).unref();
  }

  later(Math.min(options.intervalMs ?? INTERVAL, 1_000));
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

function ignore(): void {}
