import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { openClient, runSql } from '../database.ts';
import { runAsPostgres } from '../run-as-postgres.ts';

/** A primary, and a standby that has each commit before it is acknowledged. */
export type Replicated = {
  /** Host and port. */
  primary: string;
  standby: string;
  /** Ends every process of the primary at once, as a power cut does. */
  killPrimary(): void;
  /** Resolves when the standby takes writes. */
  promote(): Promise<void>;
};

const SETTINGS = `
listen_addresses = '127.0.0.1'
fsync = off
max_connections = 60
shared_buffers = 32MB
`;

/** Where PostgreSQL's own programs are; those that the service carries cannot make a standby. */
export function findPrograms(): string | undefined {
  const root = '/usr/lib/postgresql';
  const folders = existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : [];
  return folders.toSorted().findLast((folder) => existsSync(join(folder, 'pg_basebackup')));
}

/** The address of the database on a host, or on several. */
export function urlOf(...hosts: string[]): string {
  return `postgres://postgres@${hosts.join(',')}/postgres`;
}

/** Starts a primary and a standby with a current schema; they end with the test. */
export async function startReplicated(programs: string): Promise<Replicated> {
  const { folder, data: one, host: primary, run, start } = await startInstalled(programs);
  const two = join(folder, 'two');
  onTestFinished(() => killAll(two));
  await migrate(urlOf(primary));
  run(
    'pg_basebackup',
    '-D',
    two,
    '-R',
    '-c',
    'fast',
    '--no-sync',
    '-d',
    `${urlOf(primary)}?application_name=two`,
  );
  const standby = await start(two);
  await runSql(urlOf(primary), "alter system set synchronous_standby_names = 'two'");
  await runSql(urlOf(primary), 'select pg_reload_conf()');
  await expect.poll(() => syncStates(urlOf(primary)), { interval: 20 }).toEqual(['sync']);

  return {
    primary,
    standby,
    killPrimary: () => killAll(one),
    promote: () => runSql(urlOf(standby), 'select pg_promote()'),
  };
}

/** Starts a server of these programs, where everybody may do everything; it ends with the test. */
export async function startInstalled(programs: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kundebok-installed-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'one');
  const run = (program: string, ...args: string[]) => runAsPostgres(join(programs, program), args);
  onTestFinished(() => {
    killAll(data);
    rmSync(folder, { recursive: true, force: true });
  });

  /** @returns its host and port */
  const start = async (from: string) => {
    const port = await freePort();
    appendFileSync(
      join(from, 'postgresql.conf'),
      `${SETTINGS}port = ${port}\nunix_socket_directories = '${folder}'\n`,
    );
    run('pg_ctl', 'start', '-w', '-D', from, '-l', `${from}.log`);
    return `127.0.0.1:${port}`;
  };

  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C');
  return { folder, data, host: await start(data), run, start };
}

async function syncStates(url: string): Promise<string[]> {
  await using client = await openClient(url);
  return (await client.query('select sync_state from pg_stat_replication')).rows.map((row) => row.sync_state);
}

/** Kills the server of a folder with all its processes, some of which would otherwise go on for a moment. */
function killAll(data: string): void {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  const children = existsSync(`/proc/${pid}`)
    ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
    : [];
  for (const each of [pid, ...children]) kill(each);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * A port that nothing listens on now. It is below those that the system gives out, so that a server can end and start
 * again on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
