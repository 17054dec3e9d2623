import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseError } from 'pg';
import type { Logger } from 'pino';
import { CommandError } from '../cli/output.ts';
import { RELEASE, type BackupSettings } from '../config.ts';
import { LOCKS, tryLock } from '../db/locks.ts';
import { findReadOnlyReason } from '../db/read-only.ts';
import { ignore, inLongTransaction, type Session, withSession } from '../db/session.ts';
import { DatabaseUnavailable, reasonOf } from '../db/unavailable.ts';
import { repeat } from '../repeat.ts';
import { makeBackup } from './make.ts';
import { findBackupState, type BackupState } from './state.ts';

/** How often a process checks whether a backup is due, and how soon after its start. */
const CHECK_INTERVAL_MS = 60_000;
const FIRST_AFTER_MS = 10_000;

/** Files of scheduled backups; their names sort by time. */
export const BACKUP_NAME = /^kundebok-\d{8}T\d{6}Z\.backup$/;

/** The shortest time between a failure and the next attempt. */
const RETRY_AFTER_MS = 15 * 60_000;

/** How long the connection that holds the lock may be silent: proxies close a silent one after some minutes. */
const KEEP_ALIVE_MS = 20_000;

type Schedule = BackupSettings & { databaseUrl: string; log: Logger };

/** Makes backups while the service runs. Of several processes on one database, one makes each backup. */
export function startBackups(schedule: Schedule): { stop(): Promise<void> } {
  let isFirst = true;
  return repeat(FIRST_AFTER_MS, async (signal) => {
    const check = makeDueBackup(schedule, signal, { isFirst });
    isFirst = false;
    try {
      await check;
      return CHECK_INTERVAL_MS;
    } catch (error) {
      if (!signal.aborted)
        schedule.log.warn({ err: error }, 'could not check whether a backup is due, or could not record it');
      return isPermanent(error) ? RETRY_AFTER_MS : CHECK_INTERVAL_MS;
    }
  });
}

/**
 * Makes a backup if one is due and no other process is making it (which a lock shows), and records the result.
 * An abort ends the lock's transaction, too: without time limits it would wait for a database for ever.
 * Old backups are removed only once the new one is recorded: an unrecorded backup is made again at the next check.
 * @param options.isFirst for the first check of a process, which does not wait after an earlier failure: the settings
 *   may have been corrected, and if they have not, the log says so
 * @returns whether it made one
 * @throws when the database cannot be queried, or the result cannot be recorded
 */
export async function makeDueBackup(
  schedule: Schedule,
  signal: AbortSignal,
  { isFirst = false, keepAliveMs = KEEP_ALIVE_MS } = {},
): Promise<boolean> {
  const recorded: { result?: Result } = {};
  await inLongTransaction(schedule.databaseUrl, signal, async (client) => {
    if (!(await tryLock(client, LOCKS.backup))) return;
    if (!(await isDue(client, schedule.everyMs, isFirst))) return;
    if ((await findReadOnlyReason(client)) !== undefined) {
      schedule.log.warn('no backup is made while the database is read-only: it could not be recorded');
      return;
    }
    const time = await readTime(client);
    const keepAlive = repeat(keepAliveMs, async () => {
      await client.query('select 1').catch(ignore);
      return keepAliveMs;
    });
    try {
      recorded.result = await makeAndRecord(schedule, time, signal);
    } finally {
      await keepAlive.stop();
    }
  }).catch((error: unknown) => {
    // The connection may be lost by then; all it still had to do was to release the lock.
    if (!recorded.result) throw error;
  });
  const { result } = recorded;
  if (!result || 'error' in result) return false;
  await removeOld(schedule, basename(result.path)).catch((error: unknown) =>
    schedule.log.warn({ err: error }, 'old backups were not removed'),
  );
  return true;
}

async function isDue(client: Session, everyMs: number, isFirst: boolean): Promise<boolean> {
  const [state] = (await client.query<BackupState>(findBackupState.text)).rows;
  if (!state) return true;
  // A time in the future comes from a clock that was later set back; backups must not wait for it.
  if (state.age !== null && state.age >= 0 && state.age * 1_000 < everyMs) return false;
  if (isFirst || state.failed_age === null) return true;
  return Math.abs(state.failed_age) * 1_000 > Math.min(RETRY_AFTER_MS, everyMs);
}

type Result = { path: string; made_at: string; bytes: number } | { error: string };

/** The time for the name of a file, by PostgreSQL's clock: the clocks of processes that take turns may differ. */
async function readTime(client: Session): Promise<string> {
  const { rows } = await client.query<{ time: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"') as time`,
  );
  return rows[0]!.time;
}

/** Records over a new connection: the one that holds the lock may have been lost meanwhile. */
async function makeAndRecord(schedule: Schedule, time: string, signal: AbortSignal): Promise<Result> {
  const result = await attempt(schedule, time, signal);
  if ('error' in result) signal.throwIfAborted();
  try {
    await withSession(schedule.databaseUrl, (session) => record(session, result));
  } catch (error) {
    // Backups that PostgreSQL refuses to record would fill the disk. After a lost connection, this one may be recorded.
    if ('path' in result && isPermanent(error)) await rm(result.path);
    throw error;
  }
  return result;
}

/**
 * SQLSTATEs of faults that may pass: connection, shutdown and start, a cancelled statement, too many connections, a
 * lock, a read-only server.
 */
const TRANSIENT = /^(08|57|53300$|55P03$|25006$)/;

/** Whether PostgreSQL refused, and would refuse again in a minute. */
function isPermanent(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && !TRANSIENT.test(String(cause.code));
}

async function record(session: Session, result: Result): Promise<void> {
  await session.query(
    `insert into backup_state as state (made_at, file, bytes, failed_at, error)
     values ($1, $2, $3, case when $4::text is not null then clock_timestamp() end, $4)
     on conflict (singleton) do update set
       made_at = coalesce(excluded.made_at, state.made_at), file = coalesce(excluded.file, state.file),
       bytes = coalesce(excluded.bytes, state.bytes), failed_at = excluded.failed_at, error = excluded.error`,
    'error' in result ? [null, null, null, result.error] : [result.made_at, result.path, result.bytes, null],
  );
}

async function attempt(schedule: Schedule, time: string, signal: AbortSignal): Promise<Result> {
  const { folder, databaseUrl, withRegister, log } = schedule;
  const path = join(folder, `kundebok-${time}.backup`);
  try {
    const { made_at, rows } = await makeBackup({ databaseUrl, path, release: RELEASE, withRegister, signal });
    const { size: bytes } = await stat(path);
    log.info({ path, rows, bytes }, 'a backup was made');
    return { path, made_at, bytes };
  } catch (error) {
    if (!signal.aborted) log.error({ err: error, path }, 'the backup failed');
    return { error: error instanceof CommandError ? error.message : reasonOf(error) };
  }
}

/**
 * Removes all but the newest backups, and incomplete files of killed processes. Names after that of the backup just
 * made come from a clock that was later set back, and count as the oldest.
 */
async function removeOld({ folder, keep, everyMs, log }: Schedule, made: string): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  const backups = names.filter((name) => BACKUP_NAME.test(name));
  const next = backups.indexOf(made) + 1;
  const old = [...backups.slice(next), ...backups.slice(0, next)].slice(0, -keep);
  const partial = names.filter((name) => /^kundebok-\w+\.backup\.[0-9a-f]+\.partial$/.test(name));
  for (const name of partial) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > everyMs) old.push(name);
  }
  for (const name of old) {
    await rm(join(folder, name), { force: true });
    log.info({ file: name }, 'an old backup was removed');
  }
}
