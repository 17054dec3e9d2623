import { Option, type Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { CommandError, printResult, printRows, UsageError } from '../cli/output.ts';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/connect.ts';
import { email, requiredText, uuid } from '../http/fields.ts';
import { addMember, AlreadyMember, UnknownWorkspace } from './add.ts';
import { LastOwner, removeMember } from './remove.ts';
import { role } from './schema.ts';
import { emailKey, findUserByEmail, listAllMembers } from './store.ts';

/** `user add`, `user remove`, `user list` */
export function userCommands(program: Command, config: () => Config): void {
  const user = program.command('user').description('add, remove and list members of workspaces');
  user
    .command('add')
    .description('make a person a member of a workspace')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .requiredOption('--email <email>')
    .requiredOption('--first-name <name>')
    .requiredOption('--last-name <name>')
    .addOption(new Option('--role <role>').choices(role.options).default('member'))
    .option('--json', 'print JSON')
    .action(async (options) => {
      const parsed = parseOptions(options, {
        workspace: uuid,
        email,
        firstName: requiredText(255),
        lastName: requiredText(255),
        role,
      });
      const person = { email: parsed.email, first_name: parsed.firstName, last_name: parsed.lastName };
      const added = await withDatabase(config(), (db) =>
        db.transaction((transaction) => addMember(transaction, parsed.workspace, person, parsed.role)),
      ).catch((error: unknown) => {
        if (error instanceof AlreadyMember) throw new CommandError(error.message);
        if (error instanceof UnknownWorkspace) {
          throw new CommandError(`${error.message}: see kundebok workspace list`);
        }
        throw error;
      });
      printResult(added, options);
    });
  user
    .command('remove')
    .description('take a person out of a workspace and revoke their keys there for good')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .option('--email <email>')
    .option('--user <id>', 'in place of --email')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const parsed = parseOptions(options, {
        workspace: uuid,
        email: email.optional(),
        user: uuid.optional(),
      });
      if ((parsed.email === undefined) === (parsed.user === undefined)) {
        throw new UsageError('Give either --email or --user');
      }
      const removed = await withDatabase(config(), (db) =>
        db.transaction(async (transaction) => {
          const user = parsed.user ?? (await findUser(transaction, parsed.email!));
          return user === undefined ? undefined : removeMember(transaction, parsed.workspace, user);
        }),
      ).catch((error: unknown) => {
        if (!(error instanceof LastOwner)) throw error;
        throw new CommandError(
          `${error.message}: add another owner first, with kundebok user add --role owner`,
        );
      });
      if (!removed) {
        throw new CommandError(
          `${parsed.email ?? parsed.user} is not a member of workspace ${parsed.workspace}: see kundebok user list`,
        );
      }
      printResult(removed, options);
    });
  user
    .command('list')
    .description('list the members of every workspace')
    .option('--json', 'print JSON')
    .action(async (options) => {
      printRows(await withDatabase(config(), (db) => db.rows(listAllMembers, {})), options);
    });
}

async function findUser(transaction: Queryable, address: string): Promise<string | undefined> {
  return (await transaction.row(findUserByEmail, { emailKey: emailKey(address) }))?.id;
}
