import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { connect, type Database } from '../db/connect.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres, type EmbeddedPostgres } from '../db/embedded.ts';
import { findHome } from '../db/embedded/home.ts';
import { migrate } from '../db/migrate.ts';
import { findSchemaState, UnfitSchema } from '../db/schema-state.ts';
import { inspectPooling } from '../db/pooler.ts';
import { ignore, withSession } from '../db/session.ts';
import { SIGNALS } from './interrupt.ts';
import { CommandError } from './output.ts';

type Needs = {
  /** The command may be the first one on its DATA_DIR; any other fails where there are no data. */
  mayBegin?: boolean;
};

/**
 * Runs a command on the database: that of DATABASE_URL, else the embedded server, which is started for the command
 * unless a service or another command runs it already.
 * @throws {UnfitSchema} when the schema is not this release's
 * @throws {CommandError} when DATA_DIR has no data and the command cannot begin with none
 */
export function withDatabase<T>(
  config: Config,
  work: (db: Database, url: string) => Promise<T>,
  needs?: Needs,
): Promise<T> {
  return withUrl(
    config,
    async (url, isOwn) => {
      // No service runs on a server that this command has started, so it is safe to migrate.
      if (isOwn) await migrate(url);
      if (config.databaseUrl !== undefined) await inspectPooling(url);
      await using db = connect({ url, connections: 2, onIdleError: () => {} });
      const schema = await findSchemaState(db.pool);
      if (schema.state !== 'current') throw new UnfitSchema(schema);
      return await work(db, url);
    },
    needs,
  );
}

/** The same for a command that works with any schema. */
export async function withUrl<T>(
  config: Config,
  work: (url: string, isOwn: boolean) => Promise<T>,
  { mayBegin = false }: Needs = {},
): Promise<T> {
  const running = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
  if (running !== undefined) return work(running, false);
  if (!mayBegin && (await findHome(config.dataDir)) === undefined) {
    throw new CommandError(
      `There are no data in ${resolve(config.dataDir)}: set DATA_DIR to the folder of the service, or start the service first`,
    );
  }
  let server: EmbeddedPostgres | undefined;
  let isDone = false;
  const interruption = new AbortController();
  const interrupted = (signal: (typeof SIGNALS)[number]) => {
    interruption.abort();
    // A command that is done, or handles the signal itself, reaches the end of this function and prints its result.
    if (isDone || process.listenerCount(signal) > 1) return;
    const exit = () => process.exit(128 + constants.signals[signal]);
    // Without `server`, it may be starting: the exit stops it.
    if (server) void server.stop().then(exit);
    else exit();
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  try {
    server = await openPostgres(config, pino({ level: 'silent' }));
    return await work(server.url, true);
  } finally {
    isDone = true;
    if (server && !interruption.signal.aborted) await awaitOthers(server.url, interruption.signal);
    await server?.stop();
    for (const signal of SIGNALS) process.off(signal, interrupted);
  }
}

const OTHERS = `select from pg_stat_activity where application_name = 'kundebok' and pid <> pg_backend_pid()`;
const LOOK_INTERVAL_MS = 100;

/** Waits until no other command uses the server, since that command would fail without it, or until the signal. */
async function awaitOthers(url: string, signal: AbortSignal): Promise<void> {
  await withSession(url, async (session) => {
    const areThere = async () => (await session.query(OTHERS)).rowCount! > 0;
    if (!(await areThere())) return;
    // Only for people: with --json, standard error is for scripts.
    if (process.stderr.isTTY) process.stderr.write('waiting for another command to end …\n');
    while (await areThere()) await sleep(LOOK_INTERVAL_MS, undefined, { signal });
    // Not an error: no other command uses a server that is down, and the signal ends the sleep.
  }).catch(ignore);
}

/** Connections for commands, PostgreSQL's own tools and people, in addition to the service's. */
const OTHER_CONNECTIONS = 30;
const USUAL_CONNECTIONS = 100;

/**
 * The PostgreSQL of the settings: DATABASE_URL, or else the embedded server, which is started.
 * @param needed connections that the service may hold
 */
export async function openPostgres(
  { databaseUrl, dataDir }: Config,
  log: Logger,
  needed = 0,
): Promise<EmbeddedPostgres> {
  if (databaseUrl === undefined) {
    const max = Math.max(USUAL_CONNECTIONS, needed + OTHER_CONNECTIONS);
    return startEmbeddedPostgres({ dataDir, log, settings: { max_connections: String(max) } });
  }
  return { url: databaseUrl, folder: 'the database of DATABASE_URL', stop: async () => {} };
}
