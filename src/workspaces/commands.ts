import type { Command } from 'commander';
import { parseOptions } from '../cli/options.ts';
import { printResult, printRows } from '../cli/output.ts';
import { withDatabase } from '../cli/database.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/connect.ts';
import { email, requiredText } from '../http/fields.ts';
import { createWorkspace } from './create.ts';
import { listWorkspaces } from './store.ts';

/** `workspace create`, `workspace list` */
export function workspaceCommands(program: Command, config: () => Config): void {
  const workspace = program.command('workspace').description('create and list workspaces');
  workspace
    .command('create')
    .description('create a workspace with its owner')
    .requiredOption('--name <name>')
    .requiredOption('--owner-email <email>')
    .requiredOption('--owner-first-name <name>')
    .requiredOption('--owner-last-name <name>')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const { name, ownerEmail, ownerFirstName, ownerLastName } = parseOptions(options, {
        name: requiredText(255),
        ownerEmail: email,
        ownerFirstName: requiredText(255),
        ownerLastName: requiredText(255),
      });
      const owner = { email: ownerEmail, first_name: ownerFirstName, last_name: ownerLastName };
      const create = (db: Database) => createWorkspace(db, name, owner);
      printResult(await withDatabase(config(), create, { mayBegin: true }), options);
    });
  workspace
    .command('list')
    .description('list workspaces')
    .option('--json', 'print JSON')
    .action(async (options) => {
      printRows(await withDatabase(config(), (db) => db.rows(listWorkspaces, {})), options);
    });
}
