import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries } from './embedded/binaries.ts';
import { checkConnection, ensureDatabase, prepareCluster } from './embedded/cluster.ts';
import {
  findFreePort,
  isPortFree,
  readConnection,
  saveConnection,
  serviceUrl,
} from './embedded/connection.ts';
import { DataDirInUse, EmbeddedPostgresError, messageOf } from './embedded/errors.ts';
import { findHome, type Home, openHome } from './embedded/home.ts';
import { clearLeftovers } from './embedded/leftovers.ts';
import { isLocked } from './embedded/lock.ts';
import { type Launch, launchServer, type Log, type Server } from './embedded/server.ts';
import { watchServer } from './embedded/watch.ts';

export { DataDirInUse, EmbeddedPostgresError } from './embedded/errors.ts';

/** A PostgreSQL server of the service's own, which is started again whenever it dies. */
export type EmbeddedPostgres = {
  /** postgres://… on 127.0.0.1, with password; stays the same while the service runs */
  url: string;
  /** Stops the server (fast shutdown) and releases the folder. Idempotent. */
  stop(): Promise<void>;
};

const FIND_PATIENCE_MS = 2_000;
const COLLISION_PATIENCE_MS = 15_000;
const BIND_FAILURE = /could not bind|could not create any TCP/;
const COLLISION = new RegExp(
  `${BIND_FAILURE.source}|pre-existing shared memory block|"postmaster.pid" already exists`,
);

/**
 * Starts the PostgreSQL that lives under `dataDir`, making it first where there is none, and watches it.
 * A server or processes that a killed service left behind are ended before.
 * @param options.settings more server settings, for example `{ fsync: 'off' }` in tests
 * @throws {DataDirInUse} when another service holds the folder
 * @throws {EmbeddedPostgresError} with what went wrong and what to do
 */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  log: Log;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { dataDir, log, settings = {} } = options;
  const home = await openHome(dataDir).catch((error: unknown) => {
    throw explain(error, dataDir);
  });
  try {
    if (home.isStaged)
      log('info', `PostgreSQL's user cannot reach ${dataDir}; its data are in ${home.folder}`);
    const binaries = await findBinaries(home);
    await clearLeftovers(home.data);
    const cluster = await prepareCluster(home, binaries, settings.fsync !== 'off');
    const { connection } = cluster;
    const launch = { home, binaries, settings, log, port: connection.port };
    const { server, port } = await launchFirst(launch);
    const stopServer = watchServer(server, (signal) => relaunch({ ...launch, port, signal }), log);
    try {
      if (port !== connection.port) {
        log('warn', `Port ${connection.port} is taken; PostgreSQL listens on ${port} from now on`);
        connection.port = port;
        await saveConnection(home.folder, connection);
      }
      await ensureDatabase(cluster);
    } catch (error) {
      await stopServer();
      throw error;
    }
    let stopped: Promise<void> | undefined;
    return {
      url: serviceUrl(connection),
      stop: () => (stopped ??= stopAndRelease(stopServer, home)),
    };
  } catch (error) {
    await home.release();
    throw explain(error, dataDir);
  }
}

/**
 * Finds the server that a running service keeps under `dataDir`, to work beside it. Starts nothing.
 * @returns its URL, or undefined when no service runs there or its server does not answer within seconds
 * @throws {EmbeddedPostgresError} when this user may not look
 */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  try {
    const folder = await findHome(dataDir);
    if (folder === undefined) return undefined;
    const deadline = performance.now() + FIND_PATIENCE_MS;
    while (isLocked(folder)) {
      const connection = await readConnection(folder);
      const url = connection && serviceUrl(connection);
      if (url !== undefined && (await answers(url))) return url;
      if (performance.now() > deadline) return undefined;
      await sleep(20);
    }
    return undefined;
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `Whether a service runs on ${dataDir} cannot be seen: run this as the user who runs the service, or as root`,
      { cause: error },
    );
  }
}

/** The recorded port may have gone to another program, and something may still let go of the folder. */
async function launchFirst(launch: Launch): Promise<{ server: Server; port: number }> {
  const deadline = performance.now() + COLLISION_PATIENCE_MS;
  let port = (await isPortFree(launch.port)) ? launch.port : await findFreePort();
  for (;;) {
    try {
      return { server: await launchServer({ ...launch, port }), port };
    } catch (error) {
      if (!COLLISION.test(messageOf(error)) || performance.now() > deadline) throw error;
      if (BIND_FAILURE.test(messageOf(error))) port = await findFreePort();
      await sleep(50);
      await clearLeftovers(launch.home.data);
    }
  }
}

async function stopAndRelease(stopServer: () => Promise<void>, home: Home): Promise<void> {
  try {
    await stopServer();
  } finally {
    await home.release();
  }
}

async function relaunch(launch: Launch): Promise<Server> {
  await clearLeftovers(launch.home.data);
  return await launchServer(launch);
}

function explain(error: unknown, dataDir: string): Error {
  if (error instanceof EmbeddedPostgresError || error instanceof DataDirInUse) return error;
  const message = `The embedded PostgreSQL under ${dataDir} cannot be used: ${messageOf(error)}`;
  return new EmbeddedPostgresError(message, { cause: error });
}

async function answers(url: string): Promise<boolean> {
  try {
    await checkConnection(url);
    return true;
  } catch {
    return false;
  }
}
