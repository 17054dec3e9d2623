import type { Command } from 'commander';
import { withDatabase } from '../command-line/database.ts';
import { parseOptions } from '../command-line/options.ts';
import { CommandError, printResult, printRows } from '../command-line/output.ts';
import type { Config } from '../config.ts';
import { email, requiredText, uuid } from '../http/fields.ts';
import { findWorkspace } from '../workspaces/store.ts';
import { addMember, AlreadyMember } from './add.ts';
import { listAllMembers } from './store.ts';

/** `user add`, `user list` */
export function userCommands(program: Command, config: () => Config): void {
  const user = program.command('user').description('add and list members of workspaces');
  user
    .command('add')
    .description('make a person a member of a workspace')
    .requiredOption('--workspace <id>')
    .requiredOption('--email <email>')
    .requiredOption('--first-name <name>')
    .requiredOption('--last-name <name>')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const parsed = parseOptions(options, {
        workspace: uuid,
        email,
        firstName: requiredText(255),
        lastName: requiredText(255),
      });
      const person = { email: parsed.email, first_name: parsed.firstName, last_name: parsed.lastName };
      const added = await withDatabase(config(), (db) =>
        db.transaction(async (transaction) => {
          if (!(await transaction.first(findWorkspace, { id: parsed.workspace }))) {
            throw new CommandError(`There is no workspace ${parsed.workspace}: see kundebok workspace list`);
          }
          return addMember(transaction, parsed.workspace, person, 'member');
        }),
      ).catch((error: unknown) => {
        throw error instanceof AlreadyMember ? new CommandError(error.message) : error;
      });
      printResult(added, options);
    });
  user
    .command('list')
    .description('list the members of every workspace')
    .option('--json', 'print JSON')
    .action(async (options) => {
      printRows(await withDatabase(config(), (db) => db.many(listAllMembers, {})), options);
    });
}
