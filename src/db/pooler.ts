import type { QueryConfig } from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionSettings, Session } from './session.ts';

/** Whether a pooler stands between the service and PostgreSQL, and in which mode. */
export type Pooling = {
  mode: 'none' | 'session' | 'transaction';
  /** Whether connections start with time limits, set on the role or the server. */
  hasTimeLimits: boolean;
};

/** The service cannot work behind this pooler. */
export class UnfitPooler extends Error {
  override readonly name = 'UnfitPooler';
}

const NOTICE_TIMEOUT_MS = 1_000;
const PROOF_CHANNEL = 'kundebok_proof';

/** Attempts to move a connection to another server connection than its first. */
const MAX_MOVES = 50;

const ROOM_TIMEOUT_MS = 1_000;

/** The limits that `Session` sets; a pooler in transaction mode loses what a session sets. */
const TIME_LIMITS = `select bool_and(reset_val <> '0') as limited from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`;

/**
 * Finds out whether the address leads to a pooler, of which kind, and whether the service can work behind it.
 * @throws {UnfitPooler}
 * @throws {DatabaseUnavailable}
 */
export async function inspectPooling(url: string): Promise<Pooling> {
  const [first, second] = [new Session(connectionSettings(url)), new Session(connectionSettings(url))];
  try {
    await first.connect();
    if (!first.pooled) return { mode: 'none', hasTimeLimits: true };
    await second.connect();
    // This comes first, because a pooler in statement mode rejects a transaction, and also loses prepared statements.
    await second.query('begin');
    await second.query('rollback');
    if (await passesNotices(first, second)) return { mode: 'session', hasTimeLimits: true };
    await provePreparing(first, second);
    const { rows } = await second.query<{ limited: boolean }>(TIME_LIMITS);
    return { mode: 'transaction', hasTimeLimits: rows[0]?.limited === true };
  } catch (cause) {
    throw unfit(cause);
  } finally {
    await Promise.all([first, second].map((session) => session.end()));
  }
}

/**
 * How many connections to PostgreSQL a pooler has for this user, up to `wanted`: those that it hands out within a
 * second, and those that others hold.
 */
export async function countRoom(url: string, wanted: number): Promise<number> {
  const sessions = Array.from({ length: wanted }, () => new Session(connectionSettings(url)));
  try {
    const over = sleep(ROOM_TIMEOUT_MS);
    const given = await Promise.all(
      sessions.map(async (session) => ({ session, pid: await Promise.race([occupy(session), over]) })),
    );
    const busy = given.filter(({ pid }) => pid !== undefined);
    if (busy.length === 0) return 0;
    const { rows } = await busy[0]!.session.query<{ others: number }>(
      `select count(*)::int as others from pg_stat_activity
       where datname = current_database() and usename = current_user and not pid = any($1)`,
      [busy.map(({ pid }) => pid)],
    );
    return Math.min(wanted, busy.length + rows[0]!.others);
  } finally {
    await Promise.all(sessions.map((session) => session.end()));
  }
}

/** Takes a connection to PostgreSQL for as long as the session lasts. */
async function occupy(session: Session): Promise<number | undefined> {
  await session.connect();
  await session.query('begin');
  return (await session.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
}

/**
 * Whether a notice that `sender` sends reaches the idle `listener`: in transaction mode a pooler has given its
 * server connection to others by then.
 */
export async function passesNotices(listener: Session, sender: Session): Promise<boolean> {
  const proof = randomUUID();
  await listener.query(`listen ${PROOF_CHANNEL}`);
  const heard = new Promise<boolean>((resolve) => {
    listener.on('notification', ({ payload }) => payload === proof && resolve(true));
    setTimeout(resolve, NOTICE_TIMEOUT_MS, false).unref();
  });
  await sender.query('select pg_notify($1, $2)', [PROOF_CHANNEL, proof]);
  return heard;
}

/** Checks that a statement that `first` has prepared works on another server connection too. @throws if not */
export async function provePreparing(first: Session, second: Session): Promise<void> {
  // A unique name: another process may have prepared the same one on the connection that `first` moves to.
  const backend = { name: `kundebok backend ${randomUUID()}`, text: 'select pg_backend_pid() as pid' };
  for (let move = 0; move < MAX_MOVES; move++) {
    // A transaction occupies a server connection, usually the one used last: so `first` has to be used right before.
    const pid = await backendOf(first, backend);
    await second.query('begin');
    const moved = (await backendOf(first, backend)) !== pid;
    await second.query('rollback');
    if (moved) return;
  }
}

async function backendOf(session: Session, backend: QueryConfig): Promise<unknown> {
  return (await session.query<{ pid: number }>(backend)).rows[0]?.pid;
}

function unfit(cause: unknown): unknown {
  const { code = '', message = '' } = cause as { code?: string; message?: string };
  if (code === '26000' || code === '42P05') {
    return new UnfitPooler(
      'The pooler in front of PostgreSQL loses prepared statements: use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session',
      { cause },
    );
  }
  if (/statement pooling/.test(message)) {
    return new UnfitPooler(
      'The pooler in front of PostgreSQL is in statement mode: set pool_mode to transaction or session',
      { cause },
    );
  }
  return cause;
}
