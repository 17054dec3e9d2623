import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { kindOf, KINDS, type Kind } from '../../register.ts';
import { COLUMNS } from '../store.ts';
import { BulkFileFault, readBulkFile } from './bulk-file.ts';
import { NEXT } from './next-table.ts';
import { ImportRefused } from './refused.ts';
import { copyText } from './rows.ts';
import type { BulkSource } from './source.ts';

/** What a run has read so far. */
export type ImportTally = {
  /** Records loaded, a number that stood twice counted twice. */
  loaded: number;
  unreadable: number;
  why: string | undefined;
  /** The moment that the records of each kind speak of; a kind that no file holds is absent. */
  asOf: Partial<Record<Kind, Date>>;
};

/** `bytes` of `size` have been read of the file that is being loaded; `units` are records of all files. */
export type ImportProgress = { title: string; bytes: number; size: number | undefined; units: number };

/** Of the records of a run at most one in so many may be unreadable. */
const ONE_FAULT_IN = 1_000;

/** Characters handed to PostgreSQL at a time: each time wakes it up. */
const WRITE = 64 * 1024;

/**
 * Streams a file into the table, no faster than PostgreSQL takes it.
 * @throws {ImportRefused} when it is no whole file of the register
 */
export async function loadSource(
  client: Client,
  source: BulkSource,
  tally: ImportTally,
  options: { signal: AbortSignal; onProgress: (progress: ImportProgress) => void },
): Promise<void> {
  const { asOf, size, chunks } = await source.open(options.signal);
  const kinds = new Set<Kind>();
  let bytes = 0;

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }

  async function* rows(): AsyncGenerator<string> {
    let text = '';
    for await (const batch of readBulkFile(counted())) {
      for (const unit of batch.units) kinds.add(kindOf(unit));
      tally.loaded += batch.units.length;
      tally.unreadable += batch.unreadable;
      tally.why ??= batch.why;
      options.onProgress({ title: source.title, bytes, size, units: tally.loaded });
      text += copyText(batch.units, asOf.toISOString());
      if (text.length < WRITE) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }

  try {
    await copyRows(client, rows(), options.signal);
  } catch (cause) {
    if (!(cause instanceof BulkFileFault)) throw cause;
    throw new ImportRefused(`${source.title} ${cause.message}: ${source.advice}`, { cause });
  }
  for (const kind of kinds) tally.asOf[kind] = earlier(tally.asOf[kind], asOf);
}

/** Hands rows in COPY's text format to PostgreSQL, each no sooner than it has room for it. */
export async function copyRows(
  client: Client,
  rows: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  // Frozen rows need no second visit by vacuum; allowed because nobody else has seen the table.
  const copy = client.query(copyFrom(`copy ${NEXT} (${COLUMNS.join(', ')}) from stdin with (freeze)`));
  await pipeline(rows, copy, { signal });
}

/** @throws {ImportRefused} when the files hold nothing, or too much that cannot be read */
export function checkRecords(tally: ImportTally): void {
  const { loaded } = tally;
  if (loaded === 0 && tally.unreadable === 0) throw new ImportRefused('There is no active unit to import');
  if (tally.unreadable * ONE_FAULT_IN > loaded + tally.unreadable) {
    throw new ImportRefused(
      `${tally.unreadable} of ${loaded + tally.unreadable} records cannot be read, more than one in ${ONE_FAULT_IN} (for example: ${tally.why}): the file is no good, or the register has changed its form and a newer release of this service is needed`,
    );
  }
}

/** The kinds that the files hold. */
export function kindsOf(tally: ImportTally): Kind[] {
  return KINDS.filter((kind) => tally.asOf[kind]);
}

/** Brings rows of the kind that no file holds over from the mirror in service. */
export async function copyOtherKind(client: Client, tally: ImportTally): Promise<void> {
  const kinds = kindsOf(tally);
  if (kinds.length === KINDS.length) return;
  await client.query(
    `insert into ${NEXT} select * from register_units former
     where is_branch <> $1 and not exists (select from ${NEXT} next where next.orgnr = former.orgnr)`,
    [kinds[0] === 'branch'],
  );
}

function earlier(one: Date | undefined, other: Date): Date {
  return one === undefined || other < one ? other : one;
}
