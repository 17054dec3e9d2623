import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FAST, kill, nextLine, openTrial, query, type Trial, until } from '../../test/embedded-trial.ts';
import {
  DataDirInUse,
  EmbeddedPostgresError,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded.ts';

let trial: Trial;

describe('on an empty folder', () => {
  beforeEach(async () => {
    trial = await openTrial();
  });
  afterEach(() => trial.close());

  test('makes a durable database that only its own password opens', async () => {
    const { url } = await trial.start({});
    const [row] = await query(
      url,
      `select current_user as role, current_database() as database, rolsuper, rolcreatedb, getdatabaseencoding() as encoding,
         current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
         current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses
       from pg_roles where rolname = current_user`,
    );
    expect(row).toEqual({
      role: 'kundebok',
      database: 'kundebok',
      rolsuper: false,
      rolcreatedb: false,
      encoding: 'UTF8',
      fsync: 'on',
      commit: 'on',
      checksums: 'on',
      addresses: '127.0.0.1',
    });
    expect(trial.messages).toEqual([]);
    await expect(query(url.replace(/:[^:@]+@/, ':guess@'), 'select 1')).rejects.toThrow('password');
    expect((await stat(trial.file('connection.json'))).mode & 0o777).toBe(0o600);
  });

  test('looking for a server makes nothing', async () => {
    expect(await findEmbeddedPostgres(trial.dataDir)).toBeUndefined();
    expect(await findEmbeddedPostgres(join(trial.dataDir, 'nowhere'))).toBeUndefined();
    expect(await readdir(trial.dataDir)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('as root, puts data that its user could not reach aside', async () => {
    // The folder above is root's alone.
    const dataDir = join(trial.dataDir, 'closed');
    const postgres = await startEmbeddedPostgres({ dataDir, settings: FAST, log: () => {} });
    const aside = (await readFile(join(dataDir, 'postgres', 'location'), 'utf8')).trim();
    try {
      expect(await findEmbeddedPostgres(dataDir)).toBe(postgres.url);
      expect((await stat(join(aside, 'data'))).uid).not.toBe(0);
      await postgres.stop();
      const again = await startEmbeddedPostgres({ dataDir, settings: FAST, log: () => {} });
      expect(again.url).toBe(postgres.url);
      await again.stop();
    } finally {
      await postgres.stop();
      await rm(aside, { recursive: true });
    }
  });

  test('a service killed while it made the database is no hindrance', async () => {
    const service = trial.launchService();
    await until(async () => {
      const names = await readdir(trial.file('')).catch(() => []);
      const draft = names.find((name) => name.startsWith('init-'));
      return draft !== undefined && existsSync(trial.file(`${draft}/data/global`));
    });
    await kill(service);
    const { url } = await trial.start();
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  test('of two services that start at once, exactly one gets it', async () => {
    const contenders = [trial.launchService(), trial.launchService()];
    const [one, other] = await Promise.all(
      contenders.map(async (service) => ({ pid: service.pid, line: await nextLine(service) })),
    );
    const winner = one?.line.startsWith('postgres://') ? one : other;
    const loser = winner === one ? other : one;
    expect(winner?.line).toContain('postgres://');
    expect(loser?.line).toContain(`${trial.dataDir} is in use by the process with pid ${winner?.pid}`);
    expect(loser?.line).toContain('DataDirInUse');
  });
});

describe('on a folder with a database', () => {
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

  test('refuses a folder that this very process holds', async () => {
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

  test('sets new passwords at the next start when the one that found them lost came to nothing', async () => {
    await (await trial.start()).stop();
    await writeFile(trial.file('connection.json'), '');
    const settings = await readFile(trial.file('data/postgresql.conf'), 'utf8');
    await writeFile(trial.file('data/postgresql.conf'), 'nonsense');
    await expect(trial.start()).rejects.toThrow('could not be set anew');
    await writeFile(trial.file('data/postgresql.conf'), settings);
    const { url } = await trial.start();
    expect(await query(url, 'select 7 as n')).toEqual([{ n: 7 }]);
  });

  test('says in words of PostgreSQL why it does not start, and leaves nothing running', async () => {
    await expect(trial.start({ ...FAST, shared_buffers: 'much' })).rejects.toThrow(
      /PostgreSQL did not start: .*invalid value for parameter "shared_buffers"/s,
    );
    expect(existsSync(trial.file('data/postmaster.pid'))).toBe(false);
    expect((await trial.start()).url).toContain('postgres://');
  });

  test('refuses data of another major version', async () => {
    const file = trial.file('data/PG_VERSION');
    const version = await readFile(file, 'utf8');
    await writeFile(file, '15\n');
    const failure: unknown = await trial.start().catch((error: unknown) => error);
    await writeFile(file, version);
    expect(failure).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(failure)).toContain('was made by PostgreSQL 15');
  });
});
