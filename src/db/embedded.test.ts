import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DataDirInUse, EmbeddedPostgresError, findEmbeddedPostgres } from './embedded.ts';
import { connect, FAST, firstLine, kill, openTrial, query, type Trial, until } from './embedded-trial.ts';

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
      contenders.map(async (service) => ({ pid: service.pid, line: await firstLine(service) })),
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

  test('PostgreSQL that is killed comes back on the same port with every acknowledged row', async () => {
    const { url } = await trial.start({});
    await query(url, 'create table acknowledged (n int primary key)');
    const acknowledged: number[] = [];
    async function write(writer: number): Promise<void> {
      for (let n = writer; acknowledged.length < 300; n += 4) {
        const rows = await query(url, `insert into acknowledged values (${n}) returning n`).catch(() => []);
        if (rows.length > 0) acknowledged.push(n);
        else await sleep(5);
      }
    }
    const writing = Promise.all([0, 1, 2, 3].map(write));
    for (const at of [100, 200]) {
      await until(async () => acknowledged.length >= at);
      process.kill(await trial.serverPid(), 'SIGKILL');
    }
    await writing;
    const stored = (await query(url, 'select n from acknowledged')).map(({ n }) => n);
    expect(new Set(stored).isSupersetOf(new Set(acknowledged))).toBe(true);
    expect(trial.messages).toContain('error PostgreSQL has ended (SIGKILL); starting it again');
  });

  test('comes back when one of its sessions is killed', async () => {
    const { url } = await trial.start();
    const session = await connect(url);
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await until(async () => trial.messages.join().includes('was terminated by signal 9'));
    await until(() => answers(url));
    await expect(session.query('select 1')).rejects.toThrow('not queryable');
  });

  test('comes back though a session of the killed server is busy and outlives it', async () => {
    const { url } = await trial.start();
    const busy = await connect(url);
    const counting = 'select count(*) from generate_series(1, 1e12::bigint)';
    const outcome = busy.query(counting).then(() => 'counted', String);
    const active = `select 1 from pg_stat_activity where query = '${counting}' and state = 'active'`;
    await until(async () => (await query(url, active)).length > 0);
    process.kill(await trial.serverPid(), 'SIGKILL');
    await until(() => answers(url));
    expect(await outcome).toContain('Connection terminated');
  });

  test('takes over from a service that was killed and left its server running', async () => {
    const service = await trial.startService();
    await query(service.url, 'create table adopted as select 7 as n');
    const orphan = await trial.serverPid();
    await kill(service.process);
    expect(process.kill(orphan, 0)).toBe(true);
    expect(await findEmbeddedPostgres(trial.dataDir)).toBeUndefined();
    const { url } = await trial.start();
    expect(url).toBe(service.url);
    expect(await trial.serverPid()).not.toBe(orphan);
    expect(await query(url, 'select n from adopted')).toEqual([{ n: 7 }]);
  });

  test('starts after service and server were killed, though the pid is another program’s now', async () => {
    const service = await trial.startService();
    await query(service.url, 'create table survivor as select 7 as n');
    const pid = await trial.serverPid();
    await kill(service.process);
    process.kill(pid, 'SIGKILL');
    const stale = await readFile(trial.file('data/postmaster.pid'), 'utf8');
    await writeFile(trial.file('data/postmaster.pid'), stale.replace(/^\d+/, String(process.pid)));
    const { url } = await trial.start();
    expect(await query(url, 'select n from survivor')).toEqual([{ n: 7 }]);
  });

  test('refuses a folder that this very process holds', async () => {
    await trial.start();
    await expect(trial.start()).rejects.toThrow(DataDirInUse);
  });

  test('a Ctrl-C that reaches the whole process group leaves PostgreSQL to the service', async () => {
    const service = await trial.startService();
    const session = await connect(service.url);
    process.kill(-(service.process.pid ?? 0), 'SIGINT');
    // Long enough for a server that had been told to stop to have ended the session.
    expect((await session.query('select pg_sleep(0.3)')).rowCount).toBe(1);
    await session.end();
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

async function answers(url: string): Promise<boolean> {
  return await query(url, 'select 1').then(
    () => true,
    () => false,
  );
}
