import type { Command } from 'commander';
import { withUrl } from '../cli/database.ts';
import { CommandError, printResult } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { findEmbeddedPostgres, isInUse } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';

/** `serve`, `migrate`, `database-url`, `openapi`, `doctor`; each loads only what it needs */
export function serviceCommands(program: Command, config: () => Config): void {
  program
    .command('serve')
    .description('run the service')
    .action(async () => {
      const { serve } = await import('./serve.ts');
      await serve(config);
    });
  program
    .command('migrate')
    .description('bring the database schema up to this release')
    .option('--json', 'print JSON')
    .action(async (options) => {
      // With --json, standard error is for scripts: it has only an error message, as JSON.
      const onWait = (holders: string) => options.json || console.error(`waiting for ${holders} …`);
      const applied = await withUrl(config(), (url) => migrate(url, undefined, { onWait }), {
        mayBegin: true,
      });
      printResult({ applied: options.json ? applied : applied.join(', ') || 'nothing to do' }, options);
    });
  program
    .command('database-url')
    .description('print the address of the database, with its password, for psql, pg_dump and pg_restore')
    .action(async () => console.log(await findDatabaseUrl(config())));
  program
    .command('openapi')
    .description('print the OpenAPI 3.1 description of the API')
    .action(async () => {
      const { describeOwnApi } = await import('./openapi.ts');
      console.log(JSON.stringify(describeOwnApi(), null, 2));
    });
  program
    .command('doctor')
    .description('check settings, database, schema, register and disk')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(options);
    });
}

/**
 * The address of the database with its password, for PostgreSQL's own tools.
 * @throws {CommandError} when the embedded PostgreSQL does not run or does not answer
 */
async function findDatabaseUrl({ databaseUrl, dataDir }: Config): Promise<string> {
  const url = databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (url !== undefined) return url;
  if (await isInUse(dataDir)) {
    throw new CommandError(
      `A process uses ${dataDir}, and its PostgreSQL does not answer: see the log of the service`,
    );
  }
  throw new CommandError(
    `The embedded PostgreSQL runs only while the service does, and none runs on ${dataDir}: start the service, or set DATA_DIR to the folder of the service that runs`,
  );
}
