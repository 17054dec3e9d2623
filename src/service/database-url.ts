import type { Config } from '../config.ts';
import { findEmbeddedPostgres } from '../db/embedded.ts';
import { CommandError } from '../cli/output.ts';

/**
 * The address of the database with its password, for PostgreSQL's own tools.
 * @throws {CommandError} when the embedded PostgreSQL does not run
 */
export async function findDatabaseUrl({ databaseUrl, dataDir }: Config): Promise<string> {
  const url = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (url !== undefined) return url;
  throw new CommandError(
    `The embedded PostgreSQL runs only while the service does, and none runs on ${dataDir}: start the service, or set DATA_DIR to the folder of the service that runs`,
  );
}
