import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAST, kill, nextLine, openTrial, query, type Trial } from '../../test/embedded-trial.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';

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

test('looking for a server creates nothing', async () => {
  expect(await findEmbeddedPostgres(trial.dataDir)).toBeUndefined();
  expect(await findEmbeddedPostgres(join(trial.dataDir, 'nowhere'))).toBeUndefined();
  expect(await readdir(trial.dataDir)).toEqual([]);
});

test('a folder that another user may not look into is not one without a service', async () => {
  const folder = trial.file('');
  await mkdir(folder, { mode: 0o000 });
  await chmod(trial.dataDir, 0o755);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(65_534);
  try {
    await expect(findEmbeddedPostgres(trial.dataDir)).rejects.toThrow('run this as the user who runs the');
  } finally {
    if (isRoot) process.seteuid!(0);
    await chmod(folder, 0o700);
  }
});

test.runIf(process.getuid?.() === 0)('as root, puts data that its user could not reach aside', async () => {
  // The folder above is root's alone.
  const dataDir = join(trial.dataDir, 'closed');
  const postgres = await startEmbeddedPostgres({ dataDir, settings: FAST, log: pino({ level: 'silent' }) });
  const aside = (await readFile(join(dataDir, 'postgres', 'location'), 'utf8')).trim();
  try {
    expect(await findEmbeddedPostgres(dataDir)).toBe(postgres.url);
    expect((await stat(join(aside, 'data'))).uid).not.toBe(0);
    await postgres.stop();
    const again = await startEmbeddedPostgres({ dataDir, settings: FAST, log: pino({ level: 'silent' }) });
    expect(again.url).toBe(postgres.url);
    await again.stop();
  } finally {
    await postgres.stop();
    await rm(aside, { recursive: true });
  }
});

test.runIf(process.getuid?.() === 0)(
  'as root, makes the folder that of the user whose DATA_DIR it is in',
  async () => {
    const user = 65_534;
    await chmod(trial.dataDir, 0o755);
    const home = join(trial.dataDir, 'home');
    await mkdir(home, { mode: 0o700 });
    await chown(home, user, user);
    // A DATA_DIR that is there, and one that is not there yet.
    for (const dataDir of [home, join(home, 'again')]) {
      const postgres = await startEmbeddedPostgres({
        dataDir,
        settings: FAST,
        log: pino({ level: 'silent' }),
      });
      await postgres.stop();
      const names = await readdir(join(dataDir, 'postgres'));
      expect(names.toSorted()).toEqual(['connection.json', 'data', 'service.lock']);
      for (const name of ['.', 'postgres', ...names.map((name) => join('postgres', name))]) {
        const { uid, gid } = await stat(join(dataDir, name));
        expect([name, uid, gid]).toEqual([name, user, user]);
      }
    }
  },
);

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
