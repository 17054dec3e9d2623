import type { Command } from 'commander';
import { z } from 'zod';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { printResult, UsageError } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { uuid } from '../http/fields.ts';
import { addDemo } from './add.ts';
import { removeDemo } from './remove.ts';

const seed = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number from 0 to 999999999')
  .transform(Number);

/** `demo` */
export function demoCommand(program: Command, config: () => Config): void {
  program
    .command('demo')
    .description('fill a workspace with half a year of invented work, or remove it again')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .option('--remove', 'remove what the demo added, and nothing else')
    .option('--allow-existing', 'also when the workspace has companies')
    .option('--seed <number>', 'a different number generates different work', '1')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const parsed = parseOptions(options, { workspace: uuid, seed });
      if (options.remove && options.allowExisting) {
        throw new UsageError('Give either --remove or --allow-existing');
      }
      const outcome = await withDatabase(config(), (db) =>
        options.remove
          ? removeDemo(db, parsed.workspace)
          : addDemo(db, parsed.workspace, {
              seed: parsed.seed,
              allowExisting: options.allowExisting === true,
            }),
      );
      printResult(outcome, options);
    });
}
