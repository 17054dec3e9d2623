import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { CommandError, printResult } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { uuid } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { erase } from './erase.ts';

/** `contact erase` */
export function contactCommands(program: Command, config: () => Config): void {
  program
    .command('contact')
    .description('erase contacts')
    .command('erase')
    .description('remove a person, their contact details and company links for good')
    .argument('<contact-id>')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .option('--json', 'print JSON')
    .action(async (argument: string, options) => {
      const { workspace, contactId } = parseOptions(
        { ...options, contactId: argument },
        { workspace: uuid, contactId: uuid },
        ['contactId'],
      );
      await withDatabase(config(), (db) =>
        erase(tenantOfCommand(db, workspace, 'contact erase'), contactId, null),
      ).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        throw new CommandError(`Workspace ${workspace} has no contact ${contactId}`);
      });
      printResult({ erased: contactId }, options);
    });
}
