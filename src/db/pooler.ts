import { connectionSettings, Session } from './session.ts';

/** What stands between the service and PostgreSQL, and whether it lends connections by session or transaction. */
export type Pooling = {
  mode: 'none' | 'session' | 'transaction';
  /** Whether connections begin with time limits, as the role or the server sets them. */
  hasTimeLimits: boolean;
};

/** The service cannot work behind this pooler. */
export class UnfitPooler extends Error {
  override readonly name = 'UnfitPooler';
}

/** How often two connections try to meet on one server connection before they are taken to have one each. */
const ATTEMPTS = 5;

/** `pg` prepares it once for each connection, as it does with every statement of the service. */
const BACKEND = { name: 'kundebok backend', text: 'select pg_backend_pid() as pid' };

/** The limits that `Session` sets; a pooler by transaction loses what a session sets. */
const TIME_LIMITS = `select bool_and(reset_val <> '0') as limited from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`;

/**
 * Finds out what kind of pooler the address leads through, if any. Of two connections, the second opens a
 * transaction where the first has just been: only a pooler by transaction lets it.
 * @throws {UnfitPooler}
 * @throws {DatabaseUnavailable}
 */
export async function inspectPooling(url: string): Promise<Pooling> {
  const [first, second] = [new Session(connectionSettings(url)), new Session(connectionSettings(url))];
  try {
    await first.connect();
    if (!first.pooled) return { mode: 'none', hasTimeLimits: true };
    await second.connect();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const pid = await backendOf(first);
      await second.query('begin');
      // The first is pushed onto another server connection now: its statement must be prepared there too.
      if ((await pidOf(second)) === pid) {
        await backendOf(first);
        return { mode: 'transaction', hasTimeLimits: await hasTimeLimits(second) };
      }
      await second.query('rollback');
    }
    return { mode: 'session', hasTimeLimits: true };
  } catch (cause) {
    throw unfit(cause);
  } finally {
    await Promise.all([first, second].map((session) => session.end()));
  }
}

async function backendOf(session: Session): Promise<unknown> {
  return (await session.query<{ pid: number }>(BACKEND)).rows[0]?.pid;
}

async function pidOf(session: Session): Promise<unknown> {
  return (await session.query<{ pid: number }>(BACKEND.text)).rows[0]?.pid;
}

async function hasTimeLimits(session: Session): Promise<boolean> {
  return (await session.query<{ limited: boolean }>(TIME_LIMITS)).rows[0]?.limited === true;
}

function unfit(cause: unknown): unknown {
  const { code = '', message = '' } = cause as { code?: string; message?: string };
  if (code === '26000' || code === '42P05') {
    return new UnfitPooler(
      'The pooler before PostgreSQL loses prepared statements: use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session',
      { cause },
    );
  }
  if (/statement pooling/.test(message)) {
    return new UnfitPooler(
      'The pooler before PostgreSQL lends connections by statement: set pool_mode to transaction or session',
      { cause },
    );
  }
  return cause;
}
