import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { CommandError, printResult, UsageError } from '../cli/output.ts';
import { withProgress } from '../cli/progress.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/connect.ts';
import { DatabaseUnavailable, reasonOf, toUnavailable } from '../db/unavailable.ts';
import { downloadSources } from './mirror/import/download.ts';
import { importRegister } from './mirror/import/import.ts';
import { fileSource, type BulkSource } from './mirror/import/source.ts';
import { sourceOf } from './open.ts';

type Options = { download?: boolean; acceptLoss?: boolean; json?: boolean };

/** `register import`. @param refreshCompanies runs after the mirror was replaced */
export function importCommand(
  register: Command,
  config: () => Config,
  refreshCompanies: (db: Database) => Promise<void>,
): void {
  register
    .command('import')
    .description('replace the mirror with the whole register, from files or from the register itself')
    .argument('[files...]', 'what /enheter/lastned and /underenheter/lastned gave, gzipped or not')
    .option('--download', 'fetch both files from the register')
    .option('--accept-loss', 'publish although units or values would be lost')
    .option('--json', 'print JSON')
    .action(async (files: string[], options: Options) => {
      const settings = config();
      const sources = sourcesOf(settings, files, options);
      const { acceptLoss = false } = options;
      const start = performance.now();
      const result = await withDatabase(
        settings,
        async (db, databaseUrl) => {
          const result = await withProgress(options, 'units', (progress) =>
            importRegister({ databaseUrl, sources, acceptLoss, ...progress }),
          );
          await refreshCompanies(db).catch((cause: unknown) => {
            if (!(toUnavailable(cause) instanceof DatabaseUnavailable)) throw cause;
            throw new CommandError(
              `The mirror is replaced, but companies do not follow it yet (${reasonOf(cause)}): the next sync of the service completes this; to do it now, run kundebok register sync`,
              { cause },
            );
          });
          return result;
        },
        { mayBegin: true },
      );
      const seconds = Number(((performance.now() - start) / 1_000).toFixed(1));
      printResult({ ...result, seconds }, options);
    });
}

function sourcesOf(config: Config, files: readonly string[], { download }: Options): BulkSource[] {
  if (download && files.length > 0) throw new UsageError('Give files or --download, not both');
  if (download) return downloadSources(sourceOf(config));
  if (files.length === 0) throw new UsageError('Give the files to import, or --download');
  return files.map(fileSource);
}
