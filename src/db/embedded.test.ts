import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { FAST, openTrial, query, type Trial } from '../../test/embedded-trial.ts';
import { DataDirInUse, EmbeddedPostgresError } from './embedded/errors.ts';
import { findEmbeddedPostgres } from './embedded.ts';

let trial: Trial;

beforeAll(async () => {
  trial = await openTrial();
  await trial.start();
  await trial.end();
});
afterEach(() => trial.end());
afterAll(() => trial.close());

test('every start serves the same data on the same port with the same password', async () => {
  const first = await trial.start();
  await query(first.url, 'create table kept as select 7 as n');
  await first.stop();
  const second = await trial.start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
});

test('stopping stops the server, releases the folder and can be done twice', async () => {
  const postgres = await trial.start();
  expect(await findEmbeddedPostgres(trial.dataDir)).toBe(postgres.url);
  await Promise.all([postgres.stop(), postgres.stop()]);
  expect(existsSync(trial.file('data/postmaster.pid'))).toBe(false);
  expect(await findEmbeddedPostgres(trial.dataDir)).toBeUndefined();
  await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED');
});

test('a service that exits without stopping the server leaves none behind', async () => {
  const service = await trial.startService();
  service.process.kill('SIGTERM');
  await once(service.process, 'exit');
  await expect.poll(() => existsSync(trial.file('data/postmaster.pid'))).toBe(false);
});

test('moves to another port when its own has been taken, and stays there', async () => {
  const first = await trial.start();
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
  await once(squatter, 'listening');
  const second = await trial.start();
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  await second.stop();
  squatter.close();
  expect((await trial.start()).url).toBe(second.url);
});

test('refuses a folder that the same process has locked', async () => {
  await trial.start();
  await expect(trial.start()).rejects.toThrow(DataDirInUse);
});

test('takes the right to create databases away from the role that an earlier release made', async () => {
  const first = await trial.start();
  await query(await trial.superuserUrl(), 'alter role kundebok createdb');
  await first.stop();
  const { url } = await trial.start();
  await expect(query(url, 'create database more')).rejects.toThrow('permission denied');
});

test('sets new passwords when they are lost', async () => {
  const first = await trial.start();
  await query(first.url, 'create table unlocked as select 7 as n');
  await first.stop();
  await writeFile(trial.file('connection.json'), '');
  const second = await trial.start();
  expect(new URL(second.url).password).not.toBe(new URL(first.url).password);
  expect(await query(second.url, 'select n from unlocked')).toEqual([{ n: 7 }]);
});

test('sets new passwords at the next start when the start that found them lost has failed', async () => {
  await (await trial.start()).stop();
  await writeFile(trial.file('connection.json'), '');
  const settings = await readFile(trial.file('data/postgresql.conf'), 'utf8');
  await writeFile(trial.file('data/postgresql.conf'), 'nonsense');
  await expect(trial.start()).rejects.toThrow('could not be reset');
  await writeFile(trial.file('data/postgresql.conf'), settings);
  const { url } = await trial.start();
  expect(await query(url, 'select 7 as n')).toEqual([{ n: 7 }]);
});

test('says why PostgreSQL does not start, in its own words, and leaves nothing running', async () => {
  await expect(trial.start({ ...FAST, shared_buffers: 'much' })).rejects.toThrow(
    /PostgreSQL did not start: .*invalid value for parameter "shared_buffers"/s,
  );
  expect(existsSync(trial.file('data/postmaster.pid'))).toBe(false);
  expect((await trial.start()).url).toContain('postgres://');
});

test('logs a login only once, however often it is refused', async () => {
  const { url } = await trial.start();
  const stranger = url.replace(/:[^:@]+@/, ':guess@');
  for (let times = 0; times < 5; times++)
    await expect(query(stranger, 'select 1')).rejects.toThrow('password');
  // The server reads its lines in order: the last one shows that those before it were read.
  await expect(query(url.replace('//kundebok', '//nobody'), 'select 1')).rejects.toThrow('password');
  await expect.poll(() => trial.messages.join()).toContain('"nobody"');
  expect(trial.messages.filter((message) => message.includes('"kundebok"'))).toEqual([
    'warn PostgreSQL: FATAL:  password authentication failed for user "kundebok"',
  ]);
});

test('PostgreSQL is reached whatever the environment says about other servers', async () => {
  vi.stubEnv('PGOPTIONS', '-c search_path=elsewhere -c nonsense=1');
  vi.stubEnv('PGSSLMODE', 'verify-full');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url } = await trial.start();
  expect(await query(url, 'show search_path')).toEqual([{ search_path: '"$user", public' }]);
  expect(await findEmbeddedPostgres(trial.dataDir)).toBe(url);
});

test('refuses data of another major version', async () => {
  const file = trial.file('data/PG_VERSION');
  const version = await readFile(file, 'utf8');
  await writeFile(file, '15\n');
  const failure: unknown = await trial.start().catch((error: unknown) => error);
  await writeFile(file, version);
  expect(failure).toBeInstanceOf(EmbeddedPostgresError);
  expect(String(failure)).toMatch(
    /initialized by PostgreSQL version 15,.*\n.*Make a backup with the release that wrote/s,
  );
});
