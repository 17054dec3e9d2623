import type { Client } from 'pg';
import { LOCKS } from '../../../db/locks.ts';
import { BEGIN_UNLIMITED, connectionSettings, Session } from '../../../db/session.ts';
import {
  copyOtherKind,
  checkRecords,
  kindsOf,
  loadSource,
  type ImportProgress,
  type ImportTally,
} from './load.ts';
import { checkLosses } from './losses.ts';
import { createNext, indexNext } from './next-table.ts';
import { swap } from './publish.ts';
import { ImportRefused } from './refused.ts';
import type { BulkSource } from './source.ts';

export type ImportResult = {
  /** In the files, each number counted once. */
  units: number;
  branches: number;
  unreadable: number;
  /** Records with the number of a later one. */
  duplicates: number;
};

export type ImportOptions = {
  databaseUrl: string;
  sources: readonly BulkSource[];
  signal?: AbortSignal;
  onProgress?: (progress: ImportProgress) => void;
  /** Told when loading is over and index or swap begins. */
  onStep?: (step: 'indexing' | 'publishing') => void;
  /** How long the swap may be kept waiting by others; milliseconds. */
  patienceMs?: number;
  /** Publishes also what has lost units or values that the mirror in service has. */
  acceptLoss?: boolean;
};

const PATIENCE = 3 * 60_000;

/**
 * Replaces the mirror of the register by whole-register files. All of it is one transaction, so that an import
 * that breaks off anywhere, even by a power cut, leaves the mirror in service and nothing beside it. What is in
 * service is locked for the last moment only.
 * @throws {ImportRefused} when a file is no good, another import runs, or the swap does not come about
 */
export async function importRegister(options: ImportOptions): Promise<ImportResult> {
  const signal = options.signal ?? new AbortController().signal;
  // Loading takes as long as it takes; waits for locks are bounded where they occur.
  const client = new Session({ ...connectionSettings(options.databaseUrl), query_timeout: 0 });
  await client.connect();
  // With a statement under way this cuts the line, and PostgreSQL takes everything back.
  const cut = () => void client.end().catch(ignore);
  signal.addEventListener('abort', cut);
  try {
    signal.throwIfAborted();
    return await run(client, { ...options, signal }, () => signal.removeEventListener('abort', cut));
  } catch (error) {
    throw signal.aborted
      ? new ImportRefused('The import was interrupted; the mirror is as it was before', { cause: error })
      : error;
  } finally {
    signal.removeEventListener('abort', cut);
    await client.end().catch(ignore);
  }
}

/** @param beyondReturn called before the commit: aborting after this has no effect */
async function run(
  client: Client,
  options: ImportOptions & { signal: AbortSignal },
  beyondReturn: () => void,
): Promise<ImportResult> {
  const { signal, onProgress = ignore, onStep = ignore, patienceMs = PATIENCE } = options;
  const tally: ImportTally = { loaded: 0, unreadable: 0, why: undefined, asOf: {} };
  await client.query(BEGIN_UNLIMITED);
  await takeLock(client);
  await createNext(client);
  for (const source of options.sources) await loadSource(client, source, tally, { signal, onProgress });
  checkRecords(tally);

  onStep('indexing');
  await copyOtherKind(client, tally);
  const duplicates = await indexNext(client, tally.loaded);
  const held = await checkLosses(client, kindsOf(tally), options.acceptLoss ?? false);

  onStep('publishing');
  await swap(client, tally, { patienceMs, signal });
  signal.throwIfAborted();
  beyondReturn();
  await client.query('commit');
  return { units: held.unit, branches: held.branch, unreadable: tally.unreadable, duplicates };
}

async function takeLock(client: Client): Promise<void> {
  const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_xact_lock($1) as got', [
    LOCKS.import,
  ]);
  if (!rows[0]?.got) throw new ImportRefused('Another import is under way: wait until it is done');
}

function ignore(): void {}
