import type { Command } from 'commander';
import { withUrl } from '../cli/database.ts';
import { CommandError, printResult } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { findSchemaState, UnfitSchema } from '../db/schema-state.ts';
import { withSession } from '../db/session.ts';
import { distribute } from './distribute.ts';

/** `distribute` */
export function distributeCommand(program: Command, config: () => Config): void {
  program
    .command('distribute')
    .description('distribute the tables of a database over the workers of a Citus cluster, by workspace')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      const settings = config();
      if (settings.databaseUrl === undefined) {
        throw new CommandError(
          'The embedded PostgreSQL has no Citus: move to a PostgreSQL that has it (docs/scaling.md), and name its coordinator in DATABASE_URL',
        );
      }
      const done = await withUrl(settings, async (url) => {
        const schema = await withSession(url, (client) => findSchemaState(client));
        if (schema.state !== 'current') throw new UnfitSchema(schema);
        return distribute(url, (step) => void process.stderr.write(`${step} …\n`));
      });
      const shown = (tables: string[]) => (options.json ? tables : tables.join(', ') || 'nothing to do');
      const { nodes, distributed, reference } = done;
      return printResult({ nodes, distributed: shown(distributed), reference: shown(reference) }, options);
    });
}
