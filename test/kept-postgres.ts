import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findEmbeddedPostgres } from '../src/db/embedded.ts';
import { databaseUrl, dropDatabase, openClient } from './database.ts';
import { placeForFiles } from './memory.ts';
import { startTestPostgres, testRoleUrl } from './test-postgres.ts';

const THIS_FILE = fileURLToPath(import.meta.url);
const MIGRATIONS = new URL('../migrations/', import.meta.url);
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** One for each checkout and user, in a folder of the system's, so that PostgreSQL's user reaches it, too. */
const FOLDER = join(
  await placeForFiles('whole'),
  `kundebok-tests-${userInfo().uid}-${createHash('sha256').update(THIS_FILE).digest('hex').slice(0, 12)}`,
);

/** The output of the server's process. */
const LOG = `${FOLDER}.log`;

/** Touched by each run; the server ends after so many hours without a run. */
const USED = join(FOLDER, 'used');
const MAX_IDLE_HOURS = 4;

const START_PATIENCE_MS = 60_000;

const TEMPLATE = 'kundebok_template_';

/** The advisory lock of a run while it makes or drops templates. */
const TURN = 4_718_220_699;

/** Finds the server that stays up between runs, or starts it in a process of its own. @returns its address */
export async function useKeptPostgres(): Promise<string> {
  const deadline = performance.now() + START_PATIENCE_MS;
  let url = await findServer();
  if (url === undefined) await launch();
  while ((url ??= await findServer()) === undefined) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL for the tests did not start: see ${LOG}`);
    await sleep(50);
  }
  await markUsed();
  await dropAbandoned(url);
  return url;
}

async function findServer(): Promise<string | undefined> {
  if (!(await findEmbeddedPostgres(FOLDER))) return undefined;
  const url = await testRoleUrl(FOLDER);
  // The role of the tests is made after the server has started.
  const client = await openClient(url).catch(() => undefined);
  await client?.end();
  return client && url;
}

/**
 * A database with the migrations as they are now, made at most once; those of other migrations are dropped.
 * @returns its name
 */
export async function keepTemplate(serverUrl: string): Promise<string> {
  const name = TEMPLATE + (await migrationsDigest());
  await using client = await openClient(serverUrl);
  await client.query(`select pg_advisory_lock(${TURN})`);
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [TEMPLATE],
  );
  if (rows.some(({ datname }) => datname === name)) return name;
  for (const { datname } of rows) await dropDatabase(serverUrl, datname);
  const draft = `${TEMPLATE}draft`;
  await client.query(`create database ${draft}`);
  // In a process of its own, since this one may have read the migrations before the last of them was added.
  const env = { ...process.env, DATABASE_URL: databaseUrl(serverUrl, draft) };
  await promisify(execFile)(process.execPath, [MAIN, 'migrate'], { env });
  await client.query(`alter database ${draft} rename to ${name}`);
  return name;
}

async function migrationsDigest(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(MIGRATIONS)).toSorted())
    hash.update(name).update(await readFile(new URL(name, MIGRATIONS)));
  return hash.digest('hex').slice(0, 16);
}

/** Drops databases of runs that were killed; the id of a run's process is in their names. */
async function dropAbandoned(serverUrl: string): Promise<void> {
  await using client = await openClient(serverUrl);
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where datname ~ '^kundebok_[0-9]+_'",
  );
  for (const { datname } of rows) {
    if (!isRunning(Number(datname.split('_')[1]))) await dropDatabase(serverUrl, datname);
  }
}

/** Whether there is a process of this id. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function markUsed(): Promise<void> {
  await writeFile(USED, '', { flag: 'a' });
  await utimes(USED, new Date(), new Date());
}

/** Another run may start the server at the same time: the second process then ends, and both runs use the first. */
async function launch(): Promise<void> {
  await using log = await open(LOG, 'w');
  const child = spawn(process.execPath, [THIS_FILE, 'serve'], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (child.connected) child.disconnect();
  child.unref();
}

/** The process that keeps the server up: until it is stopped, or has not been used for hours. */
async function serve(): Promise<void> {
  const server = await startTestPostgres(FOLDER).catch(async (error: Error) => {
    if (await findEmbeddedPostgres(FOLDER)) return undefined;
    // No one needs its files, and a crash of the machine may have damaged them.
    await rm(FOLDER, { recursive: true, force: true });
    return startTestPostgres(FOLDER).catch(() => Promise.reject(error));
  });
  process.send?.('ready', () => process.disconnect?.());
  if (!server) return;
  await markUsed();
  const end = () => void server.stop().then(() => process.exit(0));
  process.on('SIGTERM', end).on('SIGINT', end);
  setInterval(() => void isIdle().then((idle) => idle && end()), 60_000);
}

async function isIdle(): Promise<boolean> {
  const usedAt = (await stat(USED).catch(() => undefined))?.mtimeMs ?? 0;
  return Date.now() - usedAt > MAX_IDLE_HOURS * 3_600_000;
}

/** Stops the server and removes its files. */
async function stop(): Promise<void> {
  const pid = await lockHolder(join(FOLDER, 'postgres'));
  if (pid !== undefined && (await findServer())) {
    process.kill(pid, 'SIGTERM');
    while (isRunning(pid)) await sleep(50);
  }
  for (const path of [FOLDER, LOG]) await rm(path, { recursive: true, force: true });
}

if (process.argv[1] === THIS_FILE) await (process.argv[2] === 'stop' ? stop() : serve());

/** The id of the process that has locked the folder, as it wrote it down there. */
async function lockHolder(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, 'service.pid'), 'utf8').catch(() => '');
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
