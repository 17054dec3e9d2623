import type { Config } from '../config.ts';
import { connect, type Database } from '../db/connect.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded.ts';
import { findSchemaState, migrate, UnfitSchema } from '../db/migrate.ts';
import { inspectPooling } from '../db/pooler.ts';

/**
 * Runs a command on the database: DATABASE_URL, or the embedded server of a service that runs, or the same
 * server started for as long as the command takes.
 * @throws {UnfitSchema} when the schema is not this release's
 */
export function withDatabase<T>(config: Config, work: (db: Database, url: string) => Promise<T>): Promise<T> {
  return withUrl(config, async (url, startedHere) => {
    // Nobody else uses a server that was not running: bringing its schema up to date is safe.
    if (startedHere) await migrate(url);
    if (config.databaseUrl !== undefined) await inspectPooling(url);
    const db = connect({ url, connections: 2, onIdleError: () => {} });
    try {
      await requireSchema(db);
      return await work(db, url);
    } finally {
      await db.close();
    }
  });
}

/** The same for a command that does not mind which schema it finds. */
export async function withUrl<T>(
  config: Config,
  work: (url: string, startedHere: boolean) => Promise<T>,
): Promise<T> {
  const running = config.databaseUrl ?? (await findEmbeddedPostgres(config.dataDir));
  if (running !== undefined) return work(running, false);
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} });
  const stopAnd = (exitCode: number) => () => void server.stop().then(() => process.exit(exitCode));
  const onSignals = { SIGINT: stopAnd(130), SIGTERM: stopAnd(143) };
  const interrupted = (signal: keyof typeof onSignals) => {
    // A command that ends itself in good order on a signal comes to the end of this function.
    if (process.listenerCount(signal) === 1) onSignals[signal]();
  };
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    return await work(server.url, true);
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await server.stop();
  }
}

/** @throws {UnfitSchema} */
async function requireSchema(db: Database): Promise<void> {
  const schema = await findSchemaState(db.pool);
  if (schema.state !== 'current') throw new UnfitSchema(schema);
}
