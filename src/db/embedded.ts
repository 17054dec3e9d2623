import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findBinaries } from './embedded/binaries.ts';
import { ensureDatabase, prepareCluster } from './embedded/cluster.ts';
import { newPort, readConnection, saveConnection, serviceUrl } from './embedded/connection.ts';
import { EmbeddedPostgresError, hasCode } from './embedded/errors.ts';
import { findHome, openHome } from './embedded/home.ts';
import { clusterName, endServer } from './embedded/leftovers.ts';
import { isFolderLocked } from './embedded/lock.ts';
import { type Launch, type PostgresProcess, startServer, watchServer } from './embedded/server.ts';
import { type Session, withSession } from './session.ts';
import { reasonOf } from './unavailable.ts';

/** The service's own PostgreSQL server, which is restarted whenever it dies. */
export type EmbeddedPostgres = {
  /** postgres://… on 127.0.0.1, with password; stays the same while the service runs. */
  url: string;
  /** DATA_DIR, or the folder that holds the data if PostgreSQL's user cannot reach it. */
  folder: string;
  /** Stops the server (fast shutdown) and releases the folder. Idempotent. */
  stop(): Promise<void>;
};

/** ENOENT is how Node's mkdir reports a read-only disk. */
const UNFIT_FOLDER = ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG'];

/** SQLite's message for a full disk. */
const DISK_FULL = /disk is full/;

const FIND_TIMEOUT_MS = 2_000;
const COLLISION_TIMEOUT_MS = 15_000;
const PORT_TAKEN = /could not create any TCP/;
/** Something still uses the folder, such as the shared memory of a process that was just killed. */
const FOLDER_TAKEN = /pre-existing shared memory block|"postmaster.pid" already exists/;

/**
 * Starts the PostgreSQL under `dataDir`, which is created if there is none, and watches it. Processes that a killed
 * service left behind are ended first.
 * @param options.settings more server settings, for example `{ fsync: 'off' }` in tests
 * @throws {DataDirInUse} when another service has locked the folder
 * @throws {EmbeddedPostgresError} with what went wrong and what to do
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Logger;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { dataDir, settings = {} } = options;
  const log = options.log.child({ component: 'postgresql' });
  await using undo = new AsyncDisposableStack();
  try {
    const home = await openHome(dataDir);
    undo.defer(() => home.release());
    if (home.isStaged) log.info(`PostgreSQL's user cannot reach ${dataDir}; the data are in ${home.folder}`);
    const binaries = await findBinaries(home);
    await endServer({ home, binaries });
    const connection = await prepareCluster(home, binaries, settings['fsync'] !== 'off');
    const launch = { home, binaries, settings, log, port: connection.port };
    undo.defer(watchServer(await startFirst(launch), launch));
    if (launch.port !== connection.port) {
      log.warn(`Port ${connection.port} is taken; PostgreSQL listens on ${launch.port} from now on`);
      connection.port = launch.port;
      await saveConnection(home.folder, connection);
    }
    await ensureDatabase(connection);
    const stops = undo.move();
    let stopped: Promise<void> | undefined;
    return {
      url: serviceUrl(connection),
      folder: home.isStaged ? home.folder : dataDir,
      stop: () => (stopped ??= stops.disposeAsync()),
    };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    // The lock is SQLite's, whose error message would speak of a database.
    const isLock = hasCode(error, 'ERR_SQLITE_ERROR');
    const isFull = hasCode(error, 'ENOSPC') || DISK_FULL.test(reasonOf(error));
    const isUnfit = isLock || hasCode(error, ...UNFIT_FOLDER);
    const elsewhere = isUnfit ? '; set DATA_DIR to a folder that this user may write to' : '';
    const advice = isFull ? '; make room on its disk' : elsewhere;
    const reason = isLock ? `its lock file cannot be used (${reasonOf(error)})` : reasonOf(error);
    const message = `The embedded PostgreSQL under ${dataDir} cannot be used: ${reason}${advice}`;
    throw new EmbeddedPostgresError(message, { cause: error });
  }
}

/**
 * Finds the server of a running service under `dataDir`, to use it at the same time. Starts nothing.
 * @returns its URL, or undefined when no service runs there or its server does not answer within seconds
 * @throws {EmbeddedPostgresError} when this user may not read the folder, or the data are missing
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  try {
    const folder = await findHome(dataDir);
    if (folder === undefined) return undefined;
    const deadline = performance.now() + FIND_TIMEOUT_MS;
    while (isFolderLocked(folder) && performance.now() < deadline) {
      const connection = await readConnection(folder);
      const url = connection && serviceUrl(connection);
      const served = url && (await withSession(url, readClusterName).catch(() => undefined));
      // A copied folder records the port of the original, whose server may be running.
      if (served && served === clusterName(join(folder, 'data'))) return url;
      await sleep(20);
    }
    return undefined;
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `${dataDir} cannot be read: run this as the user who runs the service, or as root`,
      { cause: error },
    );
  }
}

/**
 * Whether a process has locked the folder of the server under `dataDir`, even if its server does not answer.
 * @throws when this user may not look into the folder
 */
export async function isInUse(dataDir: string): Promise<boolean> {
  const folder = await findHome(dataDir);
  return folder !== undefined && isFolderLocked(folder);
}

async function readClusterName(session: Session): Promise<string> {
  const { rows } = await session.query<{ name: string }>("select current_setting('cluster_name') as name");
  return rows[0]!.name;
}

/** Moves `launch` to another port if another program has taken its port. */
async function startFirst(launch: Launch): Promise<PostgresProcess> {
  const deadline = performance.now() + COLLISION_TIMEOUT_MS;
  for (;;) {
    const server = startServer(launch);
    try {
      await server.ready;
      return server;
    } catch (error) {
      // A server whose pg_ctl was killed keeps running.
      await endServer(launch);
      const isPortTaken = PORT_TAKEN.test(reasonOf(error));
      const isCollision = isPortTaken || FOLDER_TAKEN.test(reasonOf(error));
      if (!isCollision || performance.now() > deadline) throw error;
      if (isPortTaken) launch.port = newPort();
      await sleep(50);
    }
  }
}
