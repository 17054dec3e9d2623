import type { Command } from 'commander';
import { withDatabase } from '../cli/database.ts';
import { CommandError, printResult, UsageError } from '../cli/output.ts';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/connect.ts';
import { downloadSources } from './mirror/import/download.ts';
import { barProgress, lineProgress, noProgress, type ProgressShow } from './mirror/import/progress.ts';
import { ImportRefused } from './mirror/import/refused.ts';
import { fileSource, type BulkSource } from './mirror/import/source.ts';
import { importRegister, type ImportOptions, type ImportResult } from './mirror/import/import.ts';
import { sourceOf } from './open.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Options = { download?: boolean; acceptLoss?: boolean; json?: boolean };

/**
 * `register import`
 * @param register the command `register`
 * @param refreshCompanies brings companies of all workspaces in line with the mirror, once it is replaced
 */
export function importCommand(
  register: Command,
  config: () => Config,
  refreshCompanies: (db: Queryable) => Promise<void>,
): void {
  register
    .command('import')
    .description('replace the mirror by the whole register, from files or from the register itself')
    .argument('[files...]', 'what /enheter/lastned and /underenheter/lastned gave, gzipped or not')
    .option('--download', 'fetch both files from the register')
    .option('--accept-loss', 'publish although units or values would be lost')
    .option('--json', 'print JSON')
    .action(async (files: string[], options: Options) => {
      const settings = config();
      const result = await run(settings, sourcesOf(settings, files, options), options, refreshCompanies);
      printResult(result, options);
    });
}

function sourcesOf(config: Config, files: readonly string[], { download }: Options): BulkSource[] {
  if (download && files.length > 0) throw new UsageError('Give files or --download, not both');
  if (download) return downloadSources(sourceOf(config));
  if (files.length === 0) throw new UsageError('Give the files to import, or --download');
  return files.map(fileSource);
}

async function run(
  config: Config,
  sources: readonly BulkSource[],
  { json, acceptLoss = false }: Options,
  refreshCompanies: (db: Queryable) => Promise<void>,
): Promise<Record<string, unknown>> {
  const start = performance.now();
  try {
    return await withDatabase(config, async (db, databaseUrl) => {
      const result = await importShown(
        { databaseUrl, sources, acceptLoss },
        json ? noProgress : progressOn(process.stderr),
      );
      await refreshCompanies(db);
      return { ...result, seconds: Number(((performance.now() - start) / 1_000).toFixed(1)) };
    });
  } catch (error) {
    if (error instanceof ImportRefused) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

/** Ctrl-C stops the import in good order: also a PostgreSQL that was started for it must be stopped. */
async function importShown(
  options: Pick<ImportOptions, 'databaseUrl' | 'sources' | 'acceptLoss'>,
  show: ProgressShow,
): Promise<ImportResult> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await importRegister({
      ...options,
      signal: interruption.signal,
      onProgress: (progress) => show.progress(progress),
      onStep: (step) => show.step(step),
    });
  } finally {
    show.end();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

function progressOn(stream: NodeJS.WriteStream): ProgressShow {
  return stream.isTTY ? barProgress(stream) : lineProgress(stream);
}
