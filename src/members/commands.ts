import { Option, type Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { CommandError, printResult, printRows, printText, UsageError } from '../cli/output.ts';
import { publicUrlOf, type Config } from '../config.ts';
import type { Queryable } from '../db/connect.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { email, requiredText, uuid } from '../http/fields.ts';
import { addMember } from './add.ts';
import { inviteByCommand } from './invite.ts';
import { createLink } from './links.ts';
import { removeMember } from './remove.ts';
import { roleField } from './schema.ts';
import { emailKey, findJoined, findUserByEmail, listAllMembers } from './store.ts';
import { listOtherWays } from './ways-in.ts';

/** `user add`, `user invite`, `user reset`, `user remove`, `user list` */
export function userCommands(program: Command, config: () => Config): void {
  const user = program
    .command('user')
    .description('add, invite, remove and list members of workspaces, and reset passwords');
  user
    .command('add')
    .description('make a person a member of a workspace')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .requiredOption('--email <email>')
    .requiredOption('--first-name <name>')
    .requiredOption('--last-name <name>')
    .addOption(new Option('--role <role>').choices(roleField.options).default('member'))
    .option('--json', 'print JSON')
    .action(async (options) => {
      const parsed = parseOptions(options, {
        workspace: uuid,
        email,
        firstName: requiredText(255),
        lastName: requiredText(255),
        role: roleField,
      });
      const person = { email: parsed.email, first_name: parsed.firstName, last_name: parsed.lastName };
      const added = await withDatabase(config(), (db) =>
        db.transaction((transaction) => addMember(transaction, parsed.workspace, person, parsed.role)),
      );
      printResult(added, options);
    });
  user
    .command('invite')
    .description('print a link with which a person creates an account and enters a workspace')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .requiredOption('--email <email>')
    .option('--first-name <name>', 'the person can correct it')
    .option('--last-name <name>', 'the person can correct it')
    .addOption(
      new Option(
        '--role <role>',
        'given to current members, too; without it, they keep theirs and new ones become member',
      ).choices(roleField.options),
    )
    .option('--json', 'print JSON')
    .action(async (options) => {
      const { workspace, firstName, lastName, role, ...given } = parseOptions(options, {
        workspace: uuid,
        email,
        firstName: requiredText(255).optional(),
        lastName: requiredText(255).optional(),
        role: roleField.optional(),
      });
      const names = { first_name: firstName ?? '', last_name: lastName ?? '' };
      const invited = await withDatabase(config(), (db) =>
        db.transaction((transaction) =>
          inviteByCommand(transaction, workspace, { ...given, ...names, role }),
        ),
      );
      printResult({ ...shownLink(invited, config()), role: invited.role }, options);
    });
  user
    .command('reset')
    .description('print a link with which a person sets a new password')
    .requiredOption('--email <email>')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const parsed = parseOptions(options, { email });
      const link = await withDatabase(config(), async (db) => {
        const user_id = await findUser(db, parsed.email);
        if (user_id === undefined) {
          throw new CommandError(`There is no person ${parsed.email}: see kundebok user list`);
        }
        if (!(await db.row(findJoined, { user_id }))) throw new CommandError(notJoined(parsed.email));
        return {
          ...shownLink({ user_id, ...(await createLink(db, { kind: 'reset', user_id })) }, config()),
          ...(await listOtherWays(db, user_id)),
        };
      });
      printResult(link, options);
      const others = link.passkeys.length + link.identities.length;
      if (!options.json && others > 0) {
        printText(
          'The person can also sign in with the passkeys and accounts above. Following the link ends their sessions and, unless they choose otherwise, removes these.',
        );
      }
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
          if (user === undefined) return undefined;
          return removeMember(tenantOfCommand(transaction, parsed.workspace, 'user remove'), user);
        }),
      );
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

/** A link as people open it. */
function shownLink({ path, ...rest }: { user_id: string; path: string; expires_at: string }, config: Config) {
  return { user_id: rest.user_id, link: publicUrlOf(config) + path, expires_at: rest.expires_at };
}

/** For a person who has not joined: with a new password alone, they would be asked for an invitation. */
function notJoined(address: string): string {
  return `${address} cannot enter any workspace: print an invitation with kundebok user invite --workspace ID --email ${address}`;
}

async function findUser(transaction: Queryable, address: string): Promise<string | undefined> {
  return (await transaction.row(findUserByEmail, { emailKey: emailKey(address) }))?.id;
}
