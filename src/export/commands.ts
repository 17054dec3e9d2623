import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { interruptibly } from '../cli/interrupt.ts';
import { createFile } from '../cli/new-file.ts';
import { parseOptions } from '../cli/options.ts';
import { printResult } from '../cli/output.ts';
import type { Config } from '../config.ts';
import { uuid } from '../http/fields.ts';
import { importWorkspace } from './import.ts';
import { exportWorkspace } from './write.ts';

/** `export`, `import` */
export function exportCommands(program: Command, config: () => Config): void {
  program
    .command('export')
    .description('write one workspace into a file of JSON lines, as the API shows it')
    .argument('<file>')
    .requiredOption('--workspace <id>', 'see kundebok workspace list')
    .option('--json', 'print JSON')
    .action(async (path: string, options) => {
      const { workspace } = parseOptions(options, { workspace: uuid });
      const counts = await withDatabase(config(), (db) =>
        interruptibly((signal) => createFile(path, (file) => exportWorkspace(db, workspace, file, signal))),
      );
      printResult(counts, options);
    });
  program
    .command('import')
    .description('add the content of an export, with its ids; existing rows are not changed')
    .argument('<file>')
    .option(
      '--workspace <id>',
      'the target; by default the workspace of the file, which is created if it does not exist',
    )
    .option('--json', 'print JSON')
    .action(async (path: string, options) => {
      const { workspace } = parseOptions(options, { workspace: uuid.optional() });
      const { workspace_id, added, unchanged } = await withDatabase(
        config(),
        (db) => interruptibly((signal) => importWorkspace(db, path, { workspace, signal })),
        { mayBegin: true },
      );
      const sum = Object.values(unchanged).reduce((all, count) => all + count, 0);
      printResult({ workspace_id, ...added, there_already: sum }, options);
    });
}
