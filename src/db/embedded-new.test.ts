import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { kill, nextLine, openTrial, query, type Trial } from '../../test/embedded-trial.ts';

let trial: Trial;

beforeEach(async () => {
  trial = await openTrial();
});
afterEach(() => trial.close());

test('creates a durable database that only its own password opens', async () => {
  const { url } = await trial.start({});
  const [row] = await query(
    url,
    `select current_user as role, current_database() as database, rolsuper, rolcreatedb, getdatabaseencoding() as encoding,
       current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses,
       current_setting('dynamic_shared_memory_type') as shared
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
    shared: 'mmap',
  });
  expect(trial.messages).toEqual([]);
  await expect(query(url.replace(/:[^:@]+@/, ':guess@'), 'select 1')).rejects.toThrow('password');
  expect((await stat(trial.file('connection.json'))).mode & 0o777).toBe(0o600);
});

test('a service killed while it created the database does not prevent the next start', async () => {
  const service = trial.launchService();
  const isCreating = async () => {
    const names = await readdir(trial.file('')).catch(() => []);
    const draft = names.find((name) => name.startsWith('init-'));
    return draft !== undefined && existsSync(trial.file(`${draft}/data/global`));
  };
  await expect.poll(isCreating, { interval: 5 }).toBe(true);
  await kill(service);
  const { url } = await trial.start();
  expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('of two services that start at once, exactly one gets the folder', async () => {
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
