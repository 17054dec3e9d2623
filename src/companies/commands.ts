import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { CommandError, printResult, printRows } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { pick } from '../db/columns.ts';
import { readPage } from '../db/listing.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { uuid } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { companyParams } from './schema.ts';
import { findCompany, flagCompany } from './store.ts';
import { timelineList } from './timeline-list.ts';

const ACTIONS = {
  archive: { description: 'archive a company: it stays in lists', flags: { is_archived: true } },
  unarchive: { description: 'take a company out of the archive', flags: { is_archived: false } },
  delete: { description: 'hide a company; restore brings it back whole', flags: { is_deleted: true } },
  restore: { description: 'bring a deleted company back', flags: { is_deleted: false } },
} as const;

/** Without `longText`, so that long texts do not end the page before `limit`. */
const wholeTimeline = { ...timelineList, longText: () => undefined };

/** `company archive|unarchive|delete|restore|timeline` */
export function companyCommands(program: Command, config: () => Config): void {
  const company = program
    .command('company')
    .description('archive, delete and restore companies, and read their timelines');
  timelineCommand(company, config);
  for (const [name, { description, flags }] of Object.entries(ACTIONS)) {
    company
      .command(name)
      .description(description)
      .argument('<orgnr>')
      .requiredOption('--workspace <id>', 'see kundebok workspace list')
      .option('--json', 'print JSON')
      .action(async (argument: string, options) => {
        const { workspace, orgnr } = parseOptions(
          { ...options, orgnr: argument },
          { workspace: uuid, orgnr: companyParams.shape.orgNr },
          ['orgnr'],
        );
        const changed = await withDatabase(config(), (db) =>
          tenantOfCommand(db, workspace, `company ${name}`).row(flagCompany, {
            orgnr,
            ...flags,
            with_deleted: true,
            if_match: null,
          }),
        );
        if (!changed) throw new CommandError(`Workspace ${workspace} has no company ${orgnr}`);
        printResult(pick(changed, ['id', 'orgnr', 'name', 'is_archived', 'is_deleted']), options);
      });
  }
}

/** `company timeline`, which also works for a deleted company. */
function timelineCommand(company: Command, config: () => Config): void {
  company
    .command('timeline')
    .description('show the newest entries of the timeline of a company')
    .argument('<orgnr>')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .option('--limit <number>', 'maximum number of entries; 25 when absent')
    .option('--json', 'print JSON')
    .action(async (argument: string, options) => {
      const { workspace, orgnr, limit } = parseOptions(
        { ...options, orgnr: argument },
        { workspace: uuid, orgnr: companyParams.shape.orgNr, limit: limitOf({ max: 10_000, usual: 25 }) },
        ['orgnr'],
      );
      const entries = await withDatabase(config(), async (db) => {
        const tenant = tenantOfCommand(db, workspace, 'company timeline');
        const found = await tenant.row(findCompany, { orgnr });
        if (!found) throw new CommandError(`Workspace ${workspace} has no company ${orgnr}`);
        const asked = { filters: { company: found.id }, sort: 'id', after: undefined, limit };
        return (await readPage(wholeTimeline, tenant, asked)).rows;
      });
      printRows(entries, options);
    });
}
