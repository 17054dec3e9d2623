import { mkdtemp, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { endWithFile, kundebokHere, ownDatabase } from '../../test/service.ts';
import { startProxy } from '../../test/proxy.ts';
import { lineTo } from '../../test/stop-after.ts';
import { createWorld } from '../../test/world.ts';
import { setClockAhead } from '../../test/wrong-clock.ts';
import { inspectBackups } from './inspect.ts';
import { makeDueBackup } from './schedule.ts';
import { checkBackup } from './restore.ts';

endWithFile();
const world = await createWorld();
const root = await mkdtemp(join(tmpdir(), 'kundebok-schedule-'));
afterAll(() => rm(root, { recursive: true }));
const { signal } = new AbortController();
const log = pino({ level: 'silent' });
const DAY_MS = 86_400_000;

/** A database and a folder of one test. */
async function scratch(more: { keep?: number } = {}) {
  const folder = await mkdtemp(join(root, 'folder-'));
  const url = await ownDatabase();
  const settings = { folder, everyMs: DAY_MS, keep: 14, withRegister: false, ...more };
  const schedule = { ...settings, databaseUrl: url, log };
  return { folder, url, settings, schedule, make: () => makeDueBackup(schedule, signal) };
}

/** As if the last backup and the last failure had been `hours` earlier. */
const age = (url: string, hours: number) =>
  runOn(
    url,
    `update backup_state set made_at = made_at - interval '${hours} hours', failed_at = failed_at - interval '${hours} hours'`,
  );
async function runOn(url: string, text: string) {
  await using client = await openClient(url);
  return (await client.query(text)).rows;
}

/** The metrics of backups of a database that has one. */
async function gauges(url: string, settings: object): Promise<Record<string, number>> {
  const running = await world.start({ url, backup: settings as never });
  onTestFinished(() => running.end());
  const read = async () => {
    const text = await (await fetch(`${running.origin}/metrics`)).text();
    const lines = [...text.matchAll(/^(backup_\w+) (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name!, Number(value)]));
  };
  // A scrape does not wait for a database that is slow to answer: gauges stay as they were.
  await expect.poll(read).toHaveProperty('backup_age_seconds');
  return read();
}

const doctor = async (url: string, folder: string) => {
  const { stdout } = await kundebokHere(['doctor', '--json'], { DATABASE_URL: url, BACKUP_FOLDER: folder });
  return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'backup');
};

test('a backup is made when one is due, and not before', async () => {
  const { folder, url, make, settings } = await scratch();
  expect(await doctor(url, folder)).toMatchObject({ ok: true, warning: expect.stringContaining('none yet') });
  expect(await make()).toBe(true);
  expect(await make()).toBe(false);
  await age(url, 23);
  expect(await make()).toBe(false);
  await age(url, 2);
  const [name, ...others] = await readdir(folder);
  expect([name, others]).toEqual([expect.stringMatching(/^kundebok-\d{8}T\d{6}Z\.backup$/), []]);
  await rm(join(folder, name!));
  expect(await make()).toBe(true);
  const [again] = await readdir(folder);
  await checkBackup(join(folder, again!), { signal });
  const { size } = await stat(join(folder, again!));
  expect(await gauges(url, settings)).toEqual({
    backup_failing: 0,
    backup_age_seconds: expect.any(Number),
    backup_bytes: size,
  });
  expect(await doctor(url, folder)).toMatchObject({ ok: true, found: expect.stringContaining(again!) });
  await using client = await openClient(url);
  expect(await inspectBackups(client, settings, root)).toMatchObject({
    ok: true,
    warning: expect.stringContaining('is on the same disk as the data'),
  });
  await age(url, 37);
  expect(await doctor(url, folder)).toMatchObject({ ok: false, found: expect.stringContaining('37 h old') });
  await writeFile(join(folder, 'kundebok-29990101T000000Z.backup'), '');
  expect(await inspectBackups(client, settings, root)).toMatchObject({
    ok: false,
    found: expect.stringContaining(
      "kundebok-29990101T000000Z.backup, newer than this database's last backup: either it is another database's",
    ),
    advice: expect.stringContaining('BACKUP_FOLDER'),
  });
});

test('of several processes, each with its own folder, one makes the backup', async () => {
  const { schedule } = await scratch();
  const line = await lineTo(schedule.databaseUrl);
  const folder = await mkdtemp(join(root, 'other-'));
  const held = line.holdAfter('copy "offers"');
  const slow = makeDueBackup({ ...schedule, folder, databaseUrl: line.url }, signal);
  await held;
  expect(await makeDueBackup(schedule, signal)).toBe(false);
  line.refuse();
  // It ends with or without an error; what it left behind is looked at below.
  await slow.catch(() => {});
  await line.stop();
  await expect.poll(() => makeDueBackup(schedule, signal), { interval: 20 }).toBe(true);
  expect(await readdir(folder)).toEqual([]);
});

test('the newest are kept; the file that a killed process began is removed, other files stay', async () => {
  const { folder, make } = await scratch({ keep: 2 });
  const partial = 'kundebok-20260101T000000Z.backup.0a1b2c3d.partial';
  const fresh = 'kundebok-20260102T000000Z.backup.0a1b2c3d.partial';
  const old = [
    'kundebok-20260101T000000Z.backup',
    'kundebok-20260103T000000Z.backup',
    'kundebok-20260102T000000Z.backup',
  ];
  for (const name of [...old, partial, fresh, 'mine.backup']) await writeFile(join(folder, name), '');
  await utimes(join(folder, partial), 1, 1);
  await make();
  const left = (await readdir(folder)).toSorted();
  expect(left).toEqual([
    'kundebok-20260102T000000Z.backup.0a1b2c3d.partial',
    old[1],
    expect.stringContaining('kundebok-2'),
    'mine.backup',
  ]);
});

test('a backup that cannot be recorded is removed; old ones stay', async () => {
  const { folder, url, make } = await scratch({ keep: 1 });
  const old = 'kundebok-20260101T000000Z.backup';
  await writeFile(join(folder, old), '');
  const database = new URL(url).pathname.slice(1);
  await runOn(url, `alter database "${database}" set default_transaction_read_only = on`);
  expect(await make()).toBe(false);
  expect(await readdir(folder)).toEqual([old]);
  await runOn(url, `set transaction_read_only = off; alter database "${database}" reset all`);
  await runOn(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'full'; end $$;
     create trigger refuse before insert on backup_state execute function refuse()`,
  );
  await expect(make()).rejects.toThrow('full');
  expect(await readdir(folder)).toEqual([old]);
  await runOn(url, 'drop trigger refuse on backup_state');
  expect(await make()).toBe(true);
  expect(await readdir(folder)).toEqual([expect.not.stringContaining(old)]);
});

test('a backup stays when the database goes away while it is recorded', async () => {
  const { folder, url, make } = await scratch({ keep: 1 });
  await runOn(
    url,
    `create function stop() returns trigger language plpgsql as
       $$ begin raise 'starting up' using errcode = '57P03'; end $$;
     create trigger stop before insert on backup_state execute function stop()`,
  );
  await expect(make()).rejects.toThrow('starting up');
  expect(await readdir(folder)).toHaveLength(1);
});

test('a failure is reported by doctor and metrics, and tried again after a while', async () => {
  const { folder, url, make, settings } = await scratch();
  await make();
  await age(url, 25);
  await rm(folder, { recursive: true });
  expect(await make()).toBe(false);
  expect(await doctor(url, folder)).toMatchObject({ ok: false, found: `${folder} cannot be used` });
  await mkdir(folder);
  expect(await gauges(url, settings)).toMatchObject({
    backup_failing: 1,
    backup_age_seconds: expect.any(Number),
  });
  expect(await doctor(url, folder)).toMatchObject({
    ok: false,
    found: expect.stringContaining('its folder does not exist'),
    advice: expect.stringContaining('fix the cause'),
  });
  expect(await make()).toBe(false);
  await age(url, 1);
  expect(await make()).toBe(true);
  expect(await gauges(url, settings)).toMatchObject({ backup_failing: 0 });
});

test('processes whose clocks differ wait together after a failure, and name files by one clock', async () => {
  const { folder, url, make } = await scratch();
  await rm(folder, { recursive: true });
  setClockAhead(24 * 365);
  expect(await make()).toBe(false);
  await mkdir(folder);
  setClockAhead(0);
  expect(await make()).toBe(false);
  await age(url, 1);
  setClockAhead(24 * 365);
  const nameNow = async () =>
    (
      await runOn(
        url,
        `select to_char(now() at time zone 'UTC', '"kundebok-"YYYYMMDD"T"HH24MISS"Z.backup"') as name`,
      )
    )[0].name;
  const before = await nameNow();
  expect(await make()).toBe(true);
  const after = await nameNow();
  const [name, ...others] = await readdir(folder);
  expect([before <= name!, name! <= after, others]).toEqual([true, true, []]);
});

test('a clock of PostgreSQL that was set back makes no age negative', async () => {
  const { folder, url, make, settings } = await scratch();
  expect(await make()).toBe(true);
  await age(url, -2);
  expect(await gauges(url, settings)).toMatchObject({ backup_age_seconds: 0 });
  expect(await doctor(url, folder)).toMatchObject({ found: expect.stringMatching(/, 0 min old$/) });
});

test('the first check of a process does not wait after a failure, since the settings may be right by now', async () => {
  const { folder, make, schedule } = await scratch();
  await rm(folder, { recursive: true });
  expect(await make()).toBe(false);
  await mkdir(folder);
  expect(await make()).toBe(false);
  expect(await makeDueBackup(schedule, signal, { isFirst: true })).toBe(true);
  expect(await makeDueBackup(schedule, signal, { isFirst: true })).toBe(false);
});

test('a failure still counts when it is dated before the last backup', async () => {
  const { folder, url, make, settings } = await scratch();
  await make();
  await age(url, 25);
  await rm(folder, { recursive: true });
  expect(await make()).toBe(false);
  await runOn(url, "update backup_state set failed_at = made_at - interval '1 hour'");
  await mkdir(folder);
  expect(await gauges(url, settings)).toMatchObject({ backup_failing: 1 });
  expect(await doctor(url, folder)).toMatchObject({
    ok: false,
    found: expect.stringContaining('its folder does not exist'),
  });
});

test('a stop does not wait for a database that does not answer', async () => {
  const { url, schedule } = await scratch();
  const { hostname: host, port } = new URL(url);
  const line = await startProxy({ host, port: Number(port) });
  onTestFinished(() => line.stop());
  const databaseUrl = Object.assign(new URL(url), { port: String(line.port) }).href;
  const stopping = new AbortController();
  const held = line.holdAfter('pg_try_advisory_xact_lock');
  const making = makeDueBackup({ ...schedule, databaseUrl }, stopping.signal);
  await held;
  stopping.abort();
  await expect(making).rejects.toThrow();
});

test('backups made while the clock was ahead are removed first', async () => {
  const { folder, url, make } = await scratch({ keep: 2 });
  const ahead = ['kundebok-29990101T000000Z.backup', 'kundebok-29990102T000000Z.backup'];
  for (const name of ahead) await writeFile(join(folder, name), '');
  const own = expect.stringMatching(/^kundebok-2[^9]/);
  expect(await make()).toBe(true);
  expect((await readdir(folder)).toSorted()).toEqual([own, ahead[1]]);
  expect(await doctor(url, folder)).toMatchObject({
    ok: false,
    found: expect.stringMatching(/kundebok-29990102T000000Z\.backup, .* the clock was set back/),
    advice: expect.stringContaining('can be moved away'),
  });
  await age(url, 25);
  const [name] = (await readdir(folder)).toSorted();
  // Two backups of one second would have the same name.
  await rename(join(folder, name!), join(folder, 'kundebok-20200101T000000Z.backup'));
  expect(await make()).toBe(true);
  expect((await readdir(folder)).toSorted()).toEqual([own, own]);
  expect(await doctor(url, folder)).toMatchObject({ ok: true });
});

test('a clock that was set back does not stop backups', async () => {
  const { folder, url, make } = await scratch();
  // Two backups of one second would have the same name.
  const clear = async () => {
    for (const name of await readdir(folder)) await rm(join(folder, name));
  };
  expect(await make()).toBe(true);
  await age(url, -1);
  await clear();
  expect(await make()).toBe(true);
  expect(await make()).toBe(false);
  await clear();
  await runOn(url, "update backup_state set made_at = null, failed_at = now() + interval '1 year'");
  expect(await make()).toBe(true);
});
