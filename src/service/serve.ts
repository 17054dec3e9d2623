import cluster from 'node:cluster';
import { inspect } from 'node:util';
import type { Logger } from 'pino';
import { companiesFollow } from '../companies/follow-register.ts';
import { InvalidConfig, publicUrlOf, RELEASE, type Config } from '../config.ts';
import { startBackups } from '../backup/schedule.ts';
import { connect } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { DatabaseUnavailable, reasonOf } from '../db/unavailable.ts';
import { inspectPooling } from '../db/pooler.ts';
import { openRegister } from '../register/open.ts';
import type { Register } from '../register/register.ts';
import { buildServer, LOAD_BOUNDS, type Service } from '../server.ts';
import { startTracing } from '../tracing/opentelemetry.ts';
import { openLog } from '../log.ts';
import { connectionsOf } from './connections.ts';
import { awaitDatabase } from './await-database.ts';
import { banner } from './banner.ts';
import { showFirstKey } from './first-key.ts';
import { openPostgres } from '../cli/database.ts';
import { startHousekeeping } from './housekeeping.ts';
import { CommandError } from '../cli/output.ts';
import { listWorkspaces } from '../workspaces/store.ts';
import { gatherFromAll, giveMetrics, reportFailure, startWorkers } from './workers.ts';

const STANDARD_ERROR = 2;

/**
 * Runs the service until SIGINT, SIGTERM or SIGHUP (a terminal that is closed). Starts PostgreSQL under DATA_DIR
 * unless DATABASE_URL names one, brings the schema up to date, and on the first start creates a workspace and a key.
 * With several workers, they answer requests and this process does the rest; each of them runs this function, too.
 * @param readConfig called in here, so that a worker reports invalid settings to the primary process, too
 */
export async function serve(readConfig: () => Config): Promise<void> {
  try {
    await run(readConfig());
  } catch (error) {
    if (!cluster.isWorker) throw error;
    const isExpected = error instanceof CommandError || error instanceof InvalidConfig;
    await reportFailure(isExpected ? error.message : inspect(error));
    // The channel to the primary process would keep this one alive.
    process.exit(1);
  }
}

async function run(config: Config): Promise<void> {
  const { log, flush } = openLog(config.logLevel, STANDARD_ERROR, cluster.worker?.id);
  const stops = new AsyncDisposableStack();

  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number) => (stopping ??= end(exitCode));
  async function end(exitCode: number): Promise<void> {
    const began = performance.now();
    log.info('the service stops');
    await stops
      .disposeAsync()
      .catch((error: unknown) => log.error({ err: error }, 'an error while stopping'));
    log.info({ ms: Math.round(performance.now() - began) }, 'the service has stopped');
    await flush();
    process.exit(exitCode);
  }
  // A terminal sends SIGINT and SIGHUP to workers, too. They ignore both and wait for SIGTERM from the primary process.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void (cluster.isPrimary && stop(0)));
  }
  process.on('SIGTERM', () => void stop(0));
  const fail = (error: Error) => {
    log.fatal({ reason: error.message }, 'a worker cannot start: the service stops');
    void stop(1);
  };
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception: the service stops');
    void stop(1);
  });

  try {
    if (cluster.isWorker) await startWorker(config, log, stops);
    else await start(config, { log, flush }, stops, fail);
  } catch (error) {
    // A start that is stopped half-way fails as well.
    if (stopping) return stopping;
    await stops.disposeAsync();
    await flush();
    throw error;
  }
}

async function start(
  config: Config,
  { log, flush }: { log: Logger; flush: () => Promise<void> },
  stops: AsyncDisposableStack,
  onFailure: (error: Error) => void,
): Promise<void> {
  const postgres = await openPostgres(config, log, config.workers * connectionsOf(config));
  stops.defer(() => postgres.stop());
  const databaseUrl = postgres.url;
  await awaitDatabase(log, () => prepareDatabase(databaseUrl, log));
  const given = { config, databaseUrl, log };
  const background: { stop(): Promise<void> }[] = [];
  const stopBackground = () => Promise.all(background.map((work) => work.stop()));
  const register = openRegister({ ...given, followers: companiesFollow, background }, stops);
  stops.defer(async () => void (await stopBackground()));
  const port = await open();
  const onError = (error: unknown, data: string) => log.warn({ err: error, data }, 'housekeeping failed');
  background.push(startHousekeeping(databaseUrl, { ...config, onError }));
  if (config.backup) background.push(startBackups({ ...config.backup, databaseUrl, log }));
  const address = publicUrlOf({ ...config, port });
  // Disposed in reverse order: this tells background work to stop without waiting for it, so that the server closes
  // meanwhile; the `defer` above then waits for the work to end.
  stops.defer(() => void stopBackground());
  // Lines that were logged before come before the start message.
  await flush();
  await printStartMessage(databaseUrl, log, { address, data: postgres.folder, register: register.title });

  async function open(): Promise<number> {
    const { workers: count, databaseConnections: connections } = config;
    if (count === 1) return (await answerRequests({ ...given, register }, stops)).port;
    const environment = { DATABASE_URL: databaseUrl, DATABASE_CONNECTIONS: String(connections) };
    return startWorkers({ count, environment, log, onFailure }, stops);
  }
}

/** A worker answers requests and does nothing else. */
async function startWorker(config: Config, log: Logger, stops: AsyncDisposableStack): Promise<void> {
  const databaseUrl = config.databaseUrl!;
  const given = { config, databaseUrl, log };
  const register = openRegister({ ...given, followers: companiesFollow }, stops);
  const { metrics } = await answerRequests({ ...given, register, gatherMetrics: gatherFromAll }, stops);
  giveMetrics(metrics.values);
}

/**
 * Answers requests until `stops` is disposed.
 * @param options.gatherMetrics the metrics of all processes, where there are several
 */
async function answerRequests(
  options: {
    config: Config;
    databaseUrl: string;
    register: Register;
    log: Logger;
    gatherMetrics?: () => Promise<string>;
  },
  stops: AsyncDisposableStack,
): Promise<{ port: number; metrics: Service['metrics'] }> {
  const { tracing } = options.config;
  const tracer = tracing && (await startTracing(tracing, { release: RELEASE, log: options.log }));
  stops.defer(() => tracer?.stop());
  const server = buildServer({ ...options, tracer, load: LOAD_BOUNDS });
  stops.defer(() => server.close());
  return { port: await listen(server, options.config), metrics: server.metrics };
}

/** @returns the port */
async function listen(server: Service, { host, port }: Config): Promise<number> {
  try {
    await server.app.listen({ host, port });
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    if (error.code === 'EADDRINUSE') {
      throw new CommandError(`Port ${port} on ${host} is taken: stop what uses it, or set PORT`, {
        cause: error,
      });
    }
    const reason = `The service cannot listen on ${host}:${port} (${String(error.code)}): set HOST and PORT`;
    throw new CommandError(reason, { cause: error });
  }
  const bound = server.app.server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

async function prepareDatabase(databaseUrl: string, log: Logger): Promise<void> {
  const { mode, hasTimeLimits } = await inspectPooling(databaseUrl);
  const migrations = await migrate(databaseUrl, undefined, {
    onUpgrade: (migration) => log.info({ migration }, 'the schema is being brought up to date'),
    onWait: (holders) => log.warn({ holders }, 'tables are locked; the start waits for these sessions'),
  });
  if (migrations.length > 0) log.info({ migrations }, 'the schema was brought up to date');
  if (mode !== 'transaction') return;
  log.warn('the pooler is in transaction mode: each request looks up its key in the database');
  if (!hasTimeLimits) log.warn('the pooler loses time limits: set them on the role, see docs/operating.md');
}

/**
 * Creates the first key after the service listens: a start that fails creates none. A service that listens does not
 * end because its database is briefly unavailable.
 */
async function printStartMessage(
  databaseUrl: string,
  log: Logger,
  shown: Omit<Parameters<typeof banner>[0], 'first' | 'workspace'>,
): Promise<void> {
  await using db = connect({ url: databaseUrl, connections: 2, onIdleError: () => {} });
  await awaitDatabase(log, async () => {
    const workspace = await db.row(listWorkspaces, {});
    let isPrinted = false;
    try {
      await showFirstKey(db, async (first) => {
        await print(banner({ ...shown, first, workspace: workspace?.workspace_id }));
        isPrinted = true;
      });
    } catch (error) {
      if (!isPrinted || !(error instanceof DatabaseUnavailable)) throw error;
      const reason = reasonOf(error);
      log.warn({ reason }, 'the database became unavailable; the next start may show another first key');
    }
  });
}

/** @throws {CommandError} when standard output cannot be written: a full disk, a closed pipe */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (!error) return resolve();
      reject(
        new CommandError(
          `The startup message could not be written to standard output (${error.message}): redirect it to a file or terminal that can be written`,
        ),
      );
    });
  });
}
