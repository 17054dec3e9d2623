import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { makeDueBackup } from './schedule.ts';

endWithFile();
const root = await mkdtemp(join(tmpdir(), 'kundebok-schedule-lock-'));
afterAll(() => rm(root, { recursive: true }));
const { signal } = new AbortController();

/** A database whose next backup stops at the table of offers until `letGo` is called. */
async function scratch(onTestFinished: (end: () => Promise<void>) => void) {
  const folder = await mkdtemp(join(root, 'folder-'));
  const url = await ownDatabase();
  const settings = { folder, everyMs: 86_400_000, keep: 1, withRegister: false };
  const schedule = { ...settings, databaseUrl: url, log: pino({ level: 'silent' }) };
  const [client, holder] = [await openClient(url), await openClient(url)];
  onTestFinished(async () => void (await Promise.all([client.end(), holder.end()])));
  await holder.query('begin; lock table offers in access exclusive mode');
  const here = 'pg_locks.database = (select oid from pg_database where datname = current_database())';
  const onLock = async <Row extends object>(columns: string) => {
    const text = `select ${columns} from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and ${here}`;
    return (await client.query<Row>(text)).rows;
  };
  return {
    folder,
    schedule,
    /** Selects columns that describe the connection that holds the lock of backups. */
    onLock,
    reached: async () => {
      const waiting = `select from pg_locks where relation = 'offers'::regclass and not granted and ${here}`;
      await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
    },
    letGo: () => holder.query('commit'),
  };
}

test('a backup is recorded though the connection that holds its lock was closed meanwhile', async ({
  onTestFinished,
}) => {
  const { folder, schedule, onLock, reached, letGo } = await scratch(onTestFinished);
  const making = makeDueBackup(schedule, signal);
  await reached();
  expect(await onLock('pg_terminate_backend(pid, 60000) as ended')).toEqual([{ ended: true }]);
  await letGo();
  expect(await making).toBe(true);
  expect(await makeDueBackup(schedule, signal)).toBe(false);
  expect(await readdir(folder)).toHaveLength(1);
});

test('the connection that holds the lock is not silent while the backup is made', async ({
  onTestFinished,
}) => {
  const { schedule, onLock, reached, letGo } = await scratch(onTestFinished);
  const making = makeDueBackup(schedule, signal, { keepAliveMs: 5 });
  await reached();
  const times = new Set<string>();
  const count = async () => {
    for (const { at } of await onLock<{ at: string }>('query_start::text as at')) times.add(at);
    return times.size;
  };
  await expect.poll(count).toBeGreaterThan(2);
  await letGo();
  expect(await making).toBe(true);
});
