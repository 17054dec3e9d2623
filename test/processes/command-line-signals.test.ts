import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClient } from '../database.ts';
import { endWithFile, kundebok, kundebokHere, kundebokJson, startCommand } from '../service.ts';

const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), 'kundebok-signals-'));
// When the tests run as root, PostgreSQL's user must be able to reach what is in it.
await chmod(folder, 0o711);
const settings = { DATA_DIR: join(folder, 'data') };
const data = join(settings.DATA_DIR, 'postgres', 'data');

afterAll(() => rm(folder, { recursive: true, force: true }));
endWithFile();

beforeAll(() => kundebokJson(['migrate'], settings));

/** A named pipe. Its reader waits until the test closes it, and the test's `open` waits for the reader. */
async function makePipe(name: string): Promise<string> {
  const path = join(folder, name);
  await run('mkfifo', [path]);
  await chmod(path, 0o644);
  return path;
}

/** PostgreSQL removes this file as the last thing it does. */
const isRunning = () => existsSync(join(data, 'postmaster.pid'));

test('PostgreSQL stays up until the last command that uses it has ended', async () => {
  const pipe = await makePipe('first.jsonl');
  const first = kundebok(['import', pipe], settings);
  await using writer = await open(pipe, 'w');
  const { stdout: url } = await kundebokHere(['database-url'], settings);
  // Two sessions, because pg_stat_activity does not change within a transaction.
  await using holder = await openClient(url.trim());
  await using watcher = await openClient(url.trim());
  await holder.query('begin; lock table offers in access exclusive mode');
  const second = kundebok(['backup', join(folder, 'second.backup')], settings);
  const has = async (rows: string) => (await watcher.query(`select from ${rows}`)).rowCount! > 0;
  await expect.poll(() => has('pg_locks where not granted')).toBe(true);
  // The first command has nothing left to do and looks for others.
  await writer.close();
  const looking = `pg_stat_activity where application_name = 'kundebok' and query like '%pg_stat_activity%'`;
  await expect.poll(() => has(looking)).toBe(true);
  await holder.query('commit');
  expect(await second).toMatchObject({ code: 0 });
  expect(await first).toMatchObject({ code: 1, stderr: expect.stringContaining('is not an export') });
  expect(isRunning()).toBe(false);
});

test('a command that is interrupted while it waits for others still says what it has done', async () => {
  const pipe = await makePipe('waiting.jsonl');
  const stop = startCommand(['import', pipe], settings);
  await using writer = await open(pipe, 'w');
  const { stdout: url } = await kundebokHere(['database-url'], settings);
  const asCommand = new URL(url.trim());
  asCommand.searchParams.set('application_name', 'kundebok');
  await using watcher = await openClient(asCommand.href);
  await writer.close();
  const looking = `select from pg_stat_activity where pid <> pg_backend_pid() and query like '%pg_stat_activity%'`;
  await expect.poll(async () => (await watcher.query(looking)).rowCount).toBe(1);
  const interrupted = await stop('SIGINT');
  expect(interrupted).toMatchObject({ code: 1, stderr: expect.stringContaining('is not an export') });
  expect(isRunning()).toBe(false);
});

test('a command whose terminal is closed stops the PostgreSQL that it has started', async () => {
  const pipe = await makePipe('closed.jsonl');
  const stop = startCommand(['import', pipe], settings);
  await using writer = await open(pipe, 'w');
  expect(isRunning()).toBe(true);
  const ended = stop('SIGHUP');
  await writer.close();
  expect((await ended).code).toBe(1);
  expect(isRunning()).toBe(false);
});

test('a command that is interrupted while its PostgreSQL starts stops it', async () => {
  // A recovery that waits for its archive.
  const pipe = await makePipe('archive');
  await writeFile(join(data, 'recovery.signal'), '');
  await appendFile(join(data, 'postgresql.auto.conf'), `restore_command = 'cat ${pipe}'\n`);
  const stop = startCommand(['key', 'list'], settings);
  await using _writer = await open(pipe, 'w');
  expect(isRunning()).toBe(true);
  expect((await stop('SIGINT')).code).toBe(130);
  await expect.poll(isRunning).toBe(false);
});
