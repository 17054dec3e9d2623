import type { Command } from 'commander';
import { z } from 'zod';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { printRows } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { instant, uuid } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { requireWorkspace } from '../workspaces/store.ts';
import { RESOURCES, type ChangeEntry } from './schema.ts';
import { listNewestChanges } from './store.ts';

const resource = z.enum(RESOURCES, `must be one of ${RESOURCES.join(', ')}`).optional();

/** `changes` */
export function changesCommand(program: Command, config: () => Config): void {
  program
    .command('changes')
    .description('show what changed in a workspace, who changed it and in which request, oldest first')
    .requiredOption('--workspace <id>')
    .option('--since <time>', 'only entries from this time on; ISO 8601 with Z or an offset')
    .option('--resource <name>', `one of ${RESOURCES.join(', ')}`)
    .option('--limit <number>', 'how many entries, the newest ones; at most 100000', '100')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const { workspace, since, limit, ...wanted } = parseOptions(options, {
        workspace: uuid,
        since: instant.optional(),
        resource,
        limit: limitOf({ max: 100_000, usual: 100 }),
      });
      const entries = await withDatabase(config(), async (db) => {
        await requireWorkspace(db, workspace);
        return listNewestChanges(tenantOfCommand(db, workspace, 'changes'), {
          resources: wanted.resource ? [wanted.resource] : RESOURCES,
          since: since ?? null,
          limit,
        });
      });
      printRows(options.json ? entries : entries.map(shown), options);
    });
}

function shown({ id, at, resource, resource_id, action, fields, values, actor, request_id }: ChangeEntry) {
  return {
    id,
    at,
    resource,
    resource_id,
    action,
    fields: fields.join(',') || '-',
    by: actor.id === null ? actor.kind : `${actor.kind} ${actor.id}`,
    request_id,
    // The widest column comes last: any column after it would be far to the right.
    values,
  };
}
