import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { startEmbeddedPostgres } from '../../src/db/embedded.ts';
import { readConnection, superuserUrl } from '../../src/db/embedded/connection.ts';
import { migrate } from '../../src/db/migrate.ts';
import { runSql } from '../database.ts';

/** A PostgreSQL server of one test file, whose roles, settings and files no other test uses. */
type OwnPostgres = {
  /** The service's role on its database. */
  url: string;
  /** Host and port of the address. */
  host: string;
  /** Folder of its Unix socket. */
  socket: string;
  /** PostgreSQL's own data folder. */
  data: string;
  /** Carries a statement out as the superuser. */
  command(text: string): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a server with a current schema; it ends with the test file. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  return startMigrated(await newFolder());
}

/** Starts two servers with the same workspace: one that takes writes, and a standby that follows nobody. */
export async function startPrimaryAndStandby(): Promise<{ primary: OwnPostgres; standby: OwnPostgres }> {
  const [one, two] = [await newFolder(), await newFolder()];
  const made = await startMigrated(one);
  await runSql(made.url, "insert into workspaces (id, name) values (gen_random_uuid(), 'Prøve AS')");
  await made.stop();
  execFileSync('cp', ['-a', join(one, 'postgres'), two]);
  // The content of standby.signal does not matter, its owner does.
  const data = join(two, 'postgres', 'data');
  execFileSync('cp', ['-a', join(data, 'PG_VERSION'), join(data, 'standby.signal')]);
  return { primary: await start(one), standby: await start(two) };
}

async function startMigrated(folder: string): Promise<OwnPostgres> {
  const server = await start(folder);
  await migrate(server.url);
  return server;
}

async function start(folder: string): Promise<OwnPostgres> {
  const socket = join(folder, 'socket');
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    settings: { fsync: 'off', max_connections: '60', unix_socket_directories: socket },
  });
  afterAll(() => server.stop());
  const home = join(folder, 'postgres');
  const connection = await readConnection(home);
  if (!connection) throw new Error('the embedded PostgreSQL recorded no connection');
  return {
    url: server.url,
    host: new URL(server.url).host,
    socket,
    data: join(home, 'data'),
    command: (text) => runSql(superuserUrl(connection), text),
    stop: () => server.stop(),
  };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-own-'));
  // When the tests run as root, PostgreSQL's user must be able to reach what is in it.
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'socket'));
  await chmod(join(folder, 'socket'), 0o777);
  afterAll(() => rm(folder, { recursive: true }));
  return folder;
}
