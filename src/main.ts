import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { api, TAGS } from './api.ts';
import { doctor } from './service/doctor.ts';
import { CommandError, printResult, UsageError } from './cli/output.ts';
import { registerCommands } from './register/commands.ts';
import { serve } from './service/serve.ts';
import { withUrl } from './cli/database.ts';
import { changesCommand } from './changes/commands.ts';
import { Waits } from './changes/waits.ts';
import { companiesFollow } from './companies/follow-register.ts';
import { companyCommands } from './companies/commands.ts';
import { InvalidConfig, loadConfig } from './config.ts';
import { DataDirInUse, EmbeddedPostgresError } from './db/embedded.ts';
import { migrate, SchemaTooNew } from './db/migrate.ts';
import { UnfitPooler } from './db/pooler.ts';
import { isRefusal, DatabaseUnavailable, reasonOf, toUnavailable } from './db/unavailable.ts';
import { BASE_PATH } from './http/mount.ts';
import { describeApi } from './http/openapi.ts';
import { keyCommands } from './keys/commands.ts';
import { sandboxRegister } from './register/sandbox/sandbox.ts';
import { userCommands } from './members/commands.ts';
import { workspaceCommands } from './workspaces/commands.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('kundebok')
  .description('A CRM service for integrations. Settings come from the environment; README has the table.')
  .version(version)
  .exitOverride()
  // Failures are told once, by the end of this file, in the form the caller asked for.
  .configureOutput({ outputError: () => {} });

program
  .command('serve')
  .description('run the service')
  .action(() => serve(loadConfig()));
program
  .command('migrate')
  .description('bring the database schema up to this release')
  .option('--json', 'print JSON')
  .action(async (options) => {
    const applied = await withUrl(loadConfig(), migrate);
    printResult({ applied: options.json ? applied : applied.join(', ') || 'nothing to do' }, options);
  });
workspaceCommands(program, loadConfig);
userCommands(program, loadConfig);
keyCommands(program, loadConfig);
companyCommands(program, loadConfig);
changesCommand(program, loadConfig);
registerCommands(program, loadConfig, companiesFollow);
program
  .command('openapi')
  .description('print the description of the interface (OpenAPI 3.1)')
  .action(() => {
    console.log(
      JSON.stringify(
        describeApi(api({ register: sandboxRegister(), waits: new Waits() }), BASE_PATH, TAGS),
        null,
        2,
      ),
    );
  });
program
  .command('doctor')
  .description('check settings, database, schema, register and disk')
  .option('--json', 'print JSON')
  .action(doctor);

/** What can go wrong without being a defect: told in words, without a stack. */
const EXPECTED = [
  UsageError,
  CommandError,
  InvalidConfig,
  DataDirInUse,
  EmbeddedPostgresError,
  SchemaTooNew,
  UnfitPooler,
];

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Tells people or scripts what failed. @returns the exit code: 2 for a mistake in the command, else 1 */
function report(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  // Without a command the help is shown, and says it all.
  if (error instanceof CommanderError && error.code === 'commander.help') return 2;
  const usage =
    error instanceof CommanderError || error instanceof UsageError || error instanceof InvalidConfig;
  const message =
    usage || EXPECTED.some((kind) => error instanceof kind)
      ? (error as Error).message.replace(/^error: /, '')
      : describe(error);
  console.error(process.argv.includes('--json') ? JSON.stringify({ error: message }) : message);
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
