import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { CommandError, printResult, UsageError } from './cli/output.ts';
import { backupCommands } from './backup/commands.ts';
import { registerCommands } from './register/commands.ts';
import { withUrl } from './cli/database.ts';
import { changesCommand } from './changes/commands.ts';
import { companiesFollow } from './companies/follow-register.ts';
import { findDatabaseUrl } from './service/database-url.ts';
import { companyCommands } from './companies/commands.ts';
import { contactCommands } from './contacts/commands.ts';
import { exportCommands } from './export/commands.ts';
import { InvalidConfig, loadConfig } from './config.ts';
import { EmbeddedPostgresError } from './db/embedded.ts';
import { migrate, UnfitSchema } from './db/migrate.ts';
import { UnfitPooler } from './db/pooler.ts';
import { isRefusal, DatabaseUnavailable, reasonOf, toUnavailable } from './db/unavailable.ts';
import { demoCommand } from './demo/commands.ts';
import { distributeCommand } from './distribute/commands.ts';
import { keyCommands } from './keys/commands.ts';
import { userCommands } from './members/commands.ts';
import { workspaceCommands } from './workspaces/commands.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('kundebok')
  .description('A CRM service for integrations. Settings come from the environment: see docs/settings.md.')
  .version(version)
  .exitOverride()
  // The end of this file reports failures, as text or as JSON.
  .configureOutput({ outputError: () => {} });

// Modules that only one command needs are loaded by it, which shortens the start of the others by a third.
program
  .command('serve')
  .description('run the service')
  .action(async () => {
    const { serve } = await import('./service/serve.ts');
    await serve(loadConfig(), version);
  });
program
  .command('migrate')
  .description('bring the database schema up to this release')
  .option('--json', 'print JSON')
  .action(async (options) => {
    const applied = await withUrl(loadConfig(), (url) => migrate(url));
    printResult({ applied: options.json ? applied : applied.join(', ') || 'nothing to do' }, options);
  });
program
  .command('database-url')
  .description('print the address of the database, with its password, for psql, pg_dump and pg_restore')
  .action(async () => console.log(await findDatabaseUrl(loadConfig())));
workspaceCommands(program, loadConfig);
userCommands(program, loadConfig);
keyCommands(program, loadConfig);
companyCommands(program, loadConfig);
contactCommands(program, loadConfig);
changesCommand(program, loadConfig);
demoCommand(program, loadConfig);
backupCommands(program, loadConfig);
exportCommands(program, loadConfig);
registerCommands(program, loadConfig, companiesFollow);
distributeCommand(program, loadConfig);
program
  .command('openapi')
  .description('print the description of the interface (OpenAPI 3.1)')
  .action(async () => {
    const { describeOwnApi } = await import('./service/openapi.ts');
    console.log(JSON.stringify(describeOwnApi(), null, 2));
  });
program
  .command('doctor')
  .description('check settings, database, schema, register and disk')
  .option('--json', 'print JSON')
  .action(async (options) => {
    const { doctor } = await import('./service/doctor.ts');
    await doctor(options);
  });

/** Failures that are not defects: reported without a stack. */
const EXPECTED = [UsageError, CommandError, InvalidConfig, EmbeddedPostgresError, UnfitSchema, UnfitPooler];

if (import.meta.main) process.exitCode = await runCommand(process.argv.slice(2));

/** Runs a command with the settings of the environment. @returns its exit code */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    return report(error, args.includes('--json'));
  }
}

/** Reports a failure. @returns the exit code: 2 for a mistake in how the command was called, else 1 */
function report(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  // Called without a command, commander prints the help.
  if (error instanceof CommanderError && error.code === 'commander.help') return 2;
  const usage =
    error instanceof CommanderError || error instanceof UsageError || error instanceof InvalidConfig;
  const message =
    usage || EXPECTED.some((kind) => error instanceof kind)
      ? (error as Error).message.replace(/^error: /, '')
      : describe(error);
  console.error(asJson ? JSON.stringify({ error: message }) : message);
  return usage ? 2 : 1;
}

function describe(error: unknown): string {
  const failure = toUnavailable(error);
  if (failure instanceof DatabaseUnavailable) {
    const reason = reasonOf(failure);
    return isRefusal(failure)
      ? `The database refuses the connection (${reason}): check user, password and name in DATABASE_URL`
      : `The database is unavailable (${reason}): start it and check DATABASE_URL`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
