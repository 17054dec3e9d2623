import type { Command } from 'commander';
import { withUrl } from '../cli/database.ts';
import { printResult } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { findDatabaseUrl } from './database-url.ts';

/** `serve`, `migrate`, `database-url`, `openapi`, `doctor`; each loads what it alone needs */
export function serviceCommands(program: Command, config: () => Config): void {
  program
    .command('serve')
    .description('run the service')
    .action(async () => {
      const { serve } = await import('./serve.ts');
      await serve(config());
    });
  program
    .command('migrate')
    .description('bring the database schema up to this release')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const applied = await withUrl(config(), (url) => migrate(url));
      printResult({ applied: options.json ? applied : applied.join(', ') || 'nothing to do' }, options);
    });
  program
    .command('database-url')
    .description('print the address of the database, with its password, for psql, pg_dump and pg_restore')
    .action(async () => console.log(await findDatabaseUrl(config())));
  program
    .command('openapi')
    .description('print the description of the interface (OpenAPI 3.1)')
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
