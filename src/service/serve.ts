import type { Logger } from 'pino';
import { publicUrlOf, type Config } from '../config.ts';
import { startBackups } from '../backup/schedule.ts';
import { companiesFollow } from '../companies/follow-register.ts';
import { connect } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { inspectPooling } from '../db/pooler.ts';
import { openLog } from '../log.ts';
import { openRegister } from '../register/open.ts';
import { buildServer, LOAD_BOUNDS, type Service } from '../server.ts';
import { awaitDatabase } from './await-database.ts';
import { banner } from './banner.ts';
import { showFirstKey } from './first-key.ts';
import { openPostgres } from '../cli/database.ts';
import { startHousekeeping } from './housekeeping.ts';
import { CommandError } from '../cli/output.ts';

const REGISTER_CONNECTIONS = 4;

const STANDARD_ERROR = 2;

/**
 * Runs the service until SIGINT, SIGTERM or SIGHUP (a terminal that is closed). Starts PostgreSQL under DATA_DIR
 * unless DATABASE_URL names one, brings the schema up to date, and on the first start creates a workspace and a key.
 */
export async function serve(config: Config, release: string): Promise<void> {
  const { log, flush } = openLog(config.logLevel, STANDARD_ERROR);
  const stops = new AsyncDisposableStack();

  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number) => {
    stopping ??= stops
      .disposeAsync()
      .catch((error: unknown) => log.error({ err: error }, 'while stopping'))
      .finally(() => {
        flush();
        process.exit(exitCode);
      });
    return stopping;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a defect: the service stops');
    void stop(1);
  });

  try {
    await start(config, release, log, stops);
  } catch (error) {
    // A start fails when it is stopped half-way.
    if (stopping) return stopping;
    await stops.disposeAsync();
    flush();
    throw error;
  }
}

async function start(
  config: Config,
  release: string,
  log: Logger,
  stops: AsyncDisposableStack,
): Promise<void> {
  const postgres = await openPostgres(config, log);
  stops.defer(() => postgres.stop());
  const databaseUrl = postgres.url;
  await awaitDatabase(log, () => prepareDatabase(databaseUrl, log));
  const { register, stop: stopRegister } = openOwnRegister(config, databaseUrl, log);
  stops.defer(stopRegister);
  const server = buildServer({ config, databaseUrl, register, log, load: LOAD_BOUNDS });
  stops.defer(() => server.close());
  const port = await listen(server, config);
  const housekeeping = startHousekeeping(databaseUrl, {
    changesKeptDays: config.changesKeptDays,
    notesKeptDays: config.notesKeptDays,
    tasksKeptDays: config.tasksKeptDays,
    onError: (error) => log.warn({ err: error }, 'what is past its time was not removed'),
  });
  stops.defer(() => housekeeping.stop());
  const address = publicUrlOf({ ...config, port });
  if (config.backup) {
    const backups = startBackups({ ...config.backup, databaseUrl, release, log });
    stops.defer(() => backups.stop());
  }
  await greet(databaseUrl, { address, data: postgres.folder, register: register.title });
}

async function prepareDatabase(databaseUrl: string, log: Logger): Promise<void> {
  const { mode, hasTimeLimits } = await inspectPooling(databaseUrl);
  for (const name of await migrate(databaseUrl))
    log.info({ migration: name }, 'the schema was brought up to date');
  if (mode !== 'transaction') return;
  log.warn('the pooler is in transaction mode: each request looks its key up in the database');
  if (!hasTimeLimits)
    log.warn('the pooler loses time limits: set them on the role, as docs/operating.md says');
}

/** Look-ups and syncs have connections of their own, so that they and requests do not wait for each other. */
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

/** Creates the first key after the service listens: a start that fails creates none. */
async function greet(databaseUrl: string, shown: Omit<Parameters<typeof banner>[0], 'first'>): Promise<void> {
  const db = connect({ url: databaseUrl, connections: 2, onIdleError: () => {} });
  try {
    await showFirstKey(db, (first) => print(banner({ ...shown, first })));
  } finally {
    await db.close();
  }
}

/** @throws when standard output cannot be written: a full disk, a closed pipe */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(`${text}\n`, (error) => {
      process.stdout.off('error', reject);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** @returns the port */
async function listen(server: Service, { host, port }: Config): Promise<number> {
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
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}
