import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { kill, nextLine, openTrial, query, type Trial } from '../../test/embedded-trial.ts';
import { findEmbeddedPostgres } from './embedded.ts';

let trial: Trial;

beforeAll(async () => {
  trial = await openTrial();
  await trial.start();
  await trial.end();
});
afterEach(() => trial.end());
afterAll(() => trial.close());

test('PostgreSQL that is killed comes back on the same port with every acknowledged row', async () => {
  const { url } = await trial.start({});
  await query(url, 'create table acknowledged (n int primary key)');
  const acknowledged: number[] = [];
  async function write(writer: number): Promise<void> {
    for (let n = writer; acknowledged.length < 300; acknowledged.push(n)) {
      await awaitAnswer(url, () => `insert into acknowledged values (${(n += 4)})`);
    }
  }
  const writing = Promise.all([0, 1, 2, 3].map(write));
  let killed = 0;
  for (const at of [100, 200]) {
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThanOrEqual(at);
    await expect.poll(() => trial.serverPid(), { interval: 5 }).not.toBe(killed);
    process.kill((killed = await trial.serverPid()), 'SIGKILL');
  }
  await writing;
  await awaitAnswer(url);
  const stored = (await query(url, 'select n from acknowledged')).map(({ n }) => n);
  expect(new Set(stored).isSupersetOf(new Set(acknowledged))).toBe(true);
  expect(trial.messages).toContain('error PostgreSQL has ended; starting it again');
});

test('comes back when one of its sessions is killed', async () => {
  const { url } = await trial.start();
  const session = await openClient(url);
  const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => trial.messages.join()).toContain('was terminated by signal 9');
  await awaitAnswer(url);
  await expect(session.query('select 1')).rejects.toThrow('not queryable');
});

const ASKED_TO_END = 'warn PostgreSQL: LOG:  received smart shutdown request';

test('comes back when it is asked to end, for which it would wait for its sessions', async () => {
  const { url } = await trial.start();
  await using session = await openClient(url);
  process.kill(await trial.serverPid(), 'SIGTERM');
  await expect.poll(() => trial.messages.join()).toContain('PostgreSQL is up again');
  expect(trial.messages).toContain(ASKED_TO_END);
  await awaitAnswer(url);
  await expect(session.query('select 1')).rejects.toThrow('not queryable');
});

test('comes back when it is asked to end again as soon as it accepts sessions', async () => {
  const { url } = await trial.start();
  const first = await trial.serverPid();
  process.kill(first, 'SIGTERM');
  // Does not wait until pg_ctl has seen that the server is ready.
  const file = trial.file('data/postmaster.pid');
  for (let isReady = false; !isReady; await turn()) {
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    isReady = Number(lines[0]) !== first && lines[7]?.trim() === 'ready';
  }
  await using session = await openClient(url);
  process.kill(await trial.serverPid(), 'SIGTERM');
  // A message that the server did not start repeats its last lines.
  await expect.poll(() => trial.messages.filter((text) => text === ASKED_TO_END)).toHaveLength(2);
  await awaitAnswer(url);
  await expect(session.query('select 1')).rejects.toThrow('not queryable');
});

test('comes back though a session of the killed server is busy and outlives it', async () => {
  const { url } = await trial.start();
  const busy = await openClient(url);
  const counting = 'select count(*) from generate_series(1, 1e12::bigint)';
  const outcome = busy.query(counting).then(() => 'counted', String);
  const active = `select 1 from pg_stat_activity where query = '${counting}' and state = 'active'`;
  await expect.poll(() => query(url, active)).not.toEqual([]);
  process.kill(await trial.serverPid(), 'SIGKILL');
  await awaitAnswer(url);
  expect(await outcome).toContain('Connection terminated');
});

/** As in a container, where the service is process 1: orphans that have ended stay in the list of processes. */
const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

test.runIf(spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true']).status === 0)(
  'comes back when the service is process 1',
  async () => {
    const url = await nextLine(trial.launchService(CONTAINER));
    const killed = await findServer(url);
    process.kill(killed, 'SIGKILL');
    await awaitAnswer(url);
    expect(await findServer(url)).not.toBe(killed);
  },
);

/** Finds the server by its command line: postmaster.pid names the pid that it has in the container. */
async function findServer(url: string): Promise<number> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  const mark = `\0port=${new URL(url).port}\0`;
  return Number(processes[(await Promise.all(commands)).findIndex((command) => command.includes(mark))]);
}

test('a service takes over from one that was killed and left its server running', async () => {
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

test('a start ends a server that release 0.1.0 left behind, whose first option is its folder', async () => {
  const first = await trial.start();
  const command = await readFile(trial.file('data/postmaster.opts'), 'utf8');
  await first.stop();
  const { uid, gid } = await stat(trial.file('data'));
  const script = `exec ${command.replace('postgres "', 'postgres -D "$0" "')}`;
  const server = spawn('sh', ['-c', script, trial.file('data')], { uid, gid, stdio: 'ignore' });
  onTestFinished(() => void server.kill('SIGQUIT'));
  const ended = once(server, 'exit');
  await awaitAnswer(first.url);
  await trial.start();
  expect(await ended).toEqual([0, null]);
});

test('PostgreSQL starts after service and server were killed, though another program has the pid now', async () => {
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

test('a Ctrl-C that reaches the whole process group leaves PostgreSQL to the service', async () => {
  const service = await trial.startService();
  const group = -(service.process.pid ?? 0);
  const session = await openClient(service.url);
  process.kill(group, 'SIGINT');
  expect(await nextLine(service.process)).toBe('SIGINT');
  expect((await session.query('select 1')).rowCount).toBe(1);
  await session.end();
  await kill(service.process);
  // Nothing is left in the group that got the signal; PostgreSQL, which is in another group, still runs.
  expect(() => process.kill(group, 0)).toThrow('ESRCH');
  expect(process.kill(await trial.serverPid(), 0)).toBe(true);
});

/** Resolves once the server has carried out a statement. `next` makes the statement of each attempt. */
async function awaitAnswer(url: string, next = () => 'select 1'): Promise<void> {
  const isDone = () =>
    query(url, next()).then(
      () => true,
      () => false,
    );
  await expect.poll(isDone, { interval: 5 }).toBe(true);
}
