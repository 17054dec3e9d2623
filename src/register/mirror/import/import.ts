import type { Client } from 'pg';
import type { Progress } from '../../../cli/progress.ts';
import { LOCKS, tryLock } from '../../../db/locks.ts';
import { inLongTransaction } from '../../../db/session.ts';
import { checkRecords, kindsOf, loadSource, type ImportTally } from './load.ts';
import { checkLosses } from './losses.ts';
import { ImportRefused, type BulkSource } from './source.ts';
import { swap } from './swap.ts';
import { buildIndexes, createTable } from './table.ts';

export type ImportedRecords = {
  /** In the files, each number counted once. */
  units: number;
  branches: number;
  unreadable: number;
  /** Records with the number of a later record. */
  duplicates: number;
};

export type ImportOptions = {
  databaseUrl: string;
  sources: readonly BulkSource[];
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onStep?: (step: 'indexing' | 'publishing') => void;
  /** How long to wait for others that have locked the table in service. */
  patienceMs?: number;
  /** Publishes even if units or values of the mirror in service would be lost. */
  acceptLoss?: boolean;
};

const PATIENCE_MS = 3 * 60_000;

/**
 * Replaces the mirror with files of the whole register, in one transaction: an import that stops anywhere leaves the
 * mirror as it was and nothing beside it.
 * @throws {ImportRefused}
 */
export async function importRegister(options: ImportOptions): Promise<ImportedRecords> {
  const { signal = new AbortController().signal } = options;
  try {
    return await inLongTransaction(options.databaseUrl, signal, (client) =>
      prepareMirror(client, { ...options, signal }),
    );
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new ImportRefused('The import was interrupted; the mirror is as it was before', { cause });
  }
}

/** Everything but the commit. */
async function prepareMirror(
  client: Client,
  options: ImportOptions & { signal: AbortSignal },
): Promise<ImportedRecords> {
  const { signal, onProgress, onStep, patienceMs = PATIENCE_MS } = options;
  const tally: ImportTally = { loaded: 0, unreadable: 0, why: undefined, asOf: {} };
  if (!(await tryLock(client, LOCKS.import))) {
    throw new ImportRefused('Another import is under way: wait until it has finished');
  }
  await createTable(client);
  for (const source of options.sources) await loadSource(client, source, tally, { signal, onProgress });
  checkRecords(tally);

  onStep?.('indexing');
  const duplicates = await buildIndexes(client, tally.loaded);
  const held = await checkLosses(client, kindsOf(tally), options.acceptLoss ?? false);

  onStep?.('publishing');
  await swap(client, tally, { patienceMs, signal });
  return { units: held.unit, branches: held.branch, unreadable: tally.unreadable, duplicates };
}
