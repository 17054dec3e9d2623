import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { companiesFollow } from '../companies/follow-register.ts';
import { connect } from '../db/connect.ts';
import { startEmbeddedPostgres } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { BASE_PATH } from '../http/mount.ts';
import { createKey } from '../keys/create.ts';
import { ALL_PERMISSIONS } from '../keys/permissions.ts';
import { openLog } from '../log.ts';
import { openRegister } from '../register/open.ts';
import { buildServer, type Server } from '../server.ts';
import { createFirstWorkspace } from '../workspaces/create.ts';
import { banner } from './banner.ts';
import { CommandError } from './output.ts';

const REGISTER_CONNECTIONS = 4;

const STANDARD_ERROR = 2;

const FIRST_OWNER = { email: 'owner@localhost', first_name: 'First', last_name: 'Owner' };

/**
 * Runs the service until SIGINT, SIGTERM or SIGHUP (a terminal that is closed). Starts PostgreSQL under DATA_DIR unless DATABASE_URL names one,
 * brings the schema up to date, and on the very first start creates a workspace and a key.
 */
export async function serve(config: Config): Promise<void> {
  const { log, flush } = openLog(config.logLevel, STANDARD_ERROR);
  const stops: (() => Promise<unknown>)[] = [];

  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number) => {
    stopping ??= (async () => {
      for (const step of stops.toReversed())
        await step().catch((error: Error) => log.error({ err: error }, 'while stopping'));
      flush();
      process.exit(exitCode);
    })();
    return stopping;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a defect: the service stops');
    void stop(1);
  });

  try {
    await start(config, log, stops);
  } catch (error) {
    for (const step of stops.toReversed()) await step();
    flush();
    throw error;
  }
}

async function start(config: Config, log: Logger, stops: (() => Promise<unknown>)[]): Promise<void> {
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config, log) : undefined;
  if (embedded) stops.push(() => embedded.stop());
  const databaseUrl = config.databaseUrl ?? embedded!.url;
  for (const name of await migrate(databaseUrl))
    log.info({ migration: name }, 'the schema was brought up to date');
  const firstKey = await createFirstKey(databaseUrl);
  const { register, stop } = openOwnRegister(config, databaseUrl, log);
  stops.push(stop);
  const server = buildServer({ config, databaseUrl, register, log });
  stops.push(() => server.close());
  const address = await listen(server, config);
  console.log(banner({ address, config, key: firstKey, register: register.title }));
}

/** Look-ups and syncs have connections of their own: neither waits for requests, nor do requests for them. */
function openOwnRegister(config: Config, databaseUrl: string, log: Logger) {
  const db = connect({
    url: databaseUrl,
    connections: REGISTER_CONNECTIONS,
    onIdleError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
  });
  const { register, stop } = openRegister({
    config,
    db,
    databaseUrl,
    followers: companiesFollow,
    onSyncError: (error) => log.warn({ err: error }, 'the mirror of the register was not brought up to date'),
  });
  return {
    register,
    stop: async () => {
      await stop();
      await db.close();
    },
  };
}

function startEmbedded(config: Config, log: Logger) {
  return startEmbeddedPostgres({
    dataDir: config.dataDir,
    log: (level, message) => log[level]({ component: 'postgresql' }, message),
  });
}

/** On a database without any workspace: one, its owner and a key with all permissions. */
async function createFirstKey(databaseUrl: string): Promise<string | undefined> {
  const db = connect({ url: databaseUrl, connections: 1, onIdleError: () => {} });
  try {
    return await createFirstWorkspace(db, 'First workspace', FIRST_OWNER, async (transaction, ids) => {
      const { key } = await createKey(transaction, {
        workspace: ids.workspace_id,
        user_id: ids.user_id,
        permissions: ALL_PERMISSIONS,
        name: 'first key',
        expires_at: null,
      });
      return key;
    });
  } finally {
    await db.close();
  }
}

async function listen(server: Server, { host, port }: Config): Promise<string> {
  try {
    await server.app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new CommandError(`Port ${port} on ${host} is taken: stop what uses it, or set PORT`, {
        cause: error,
      });
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError(`The service cannot listen on ${host}:${port} (${code}): set HOST and PORT`, {
        cause: error,
      });
    }
    throw error;
  }
  const bound = server.app.server.address();
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${shownHost.includes(':') ? `[${shownHost}]` : shownHost}:${boundPort}${BASE_PATH}`;
}
