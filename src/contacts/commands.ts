import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { createFile } from '../cli/new-file.ts';
import { parseOptions } from '../cli/options.ts';
import { CommandError, printResult, printText } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { uuid } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { erase } from './locked.ts';
import { collectPersonalData } from './export.ts';

/** `contact export`, `contact erase` */
export function contactCommands(program: Command, config: () => Config): void {
  const contact = program.command('contact').description('export and erase contacts');
  contact
    .command('export')
    .description('write all data about a contact as JSON, for a person who asks for theirs')
    .argument('<contact-id>')
    .argument('[file]', 'standard output when absent')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .action(async (argument: string, path: string | undefined, options) => {
      const { workspace, contactId } = parse(options, argument);
      const data = await withDatabase(config(), (db) =>
        collectPersonalData(tenantOfCommand(db, workspace, 'contact export'), contactId),
      ).catch(toCommandError(workspace, contactId));
      const text = JSON.stringify(data, null, 2);
      if (path === undefined) printText(text);
      else await createFile(path, (file) => file.writeFile(`${text}\n`));
    });
  contact
    .command('erase')
    .description('remove a person, their contact details and company links for good')
    .argument('<contact-id>')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .option('--json', 'print JSON')
    .action(async (argument: string, options) => {
      const { workspace, contactId } = parse(options, argument);
      await withDatabase(config(), (db) =>
        erase(tenantOfCommand(db, workspace, 'contact erase'), contactId, null),
      ).catch(toCommandError(workspace, contactId));
      printResult({ erased: contactId }, options);
    });
}

function parse(options: object, contactId: string) {
  return parseOptions({ ...options, contactId }, { workspace: uuid, contactId: uuid }, ['contactId']);
}

function toCommandError(workspace: string, contact: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem)) throw error;
    // With details, it names the contact that this one was merged into.
    throw new CommandError(
      error.details ? error.message : `Workspace ${workspace} has no contact ${contact}`,
    );
  };
}
