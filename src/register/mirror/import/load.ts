import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Progress } from '../../../cli/progress.ts';
import { kindOf, KINDS, type Kind, type Unit } from '../../register.ts';
import { COLUMNS, rowOf } from '../units.ts';
import { BulkFileFault, readBulkFile } from './bulk-file.ts';
import { ImportRefused, type BulkSource } from './source.ts';
import { NEXT } from './table.ts';

/** What the files of an import hold. */
export type ImportTally = {
  /** Records loaded; a number that occurs twice counts twice. */
  loaded: number;
  unreadable: number;
  /** Why one of them is unreadable. */
  why: string | undefined;
  /** A time for each kind: the files hold at least what the register said then. A kind that no file holds is absent. */
  asOf: Partial<Record<Kind, Temporal.Instant>>;
};

/** A file is made at night, but its date may be that of the download: its content may be this much older. */
export const MARGIN = Temporal.Duration.from({ hours: 24 });

/** At most one record in this many may be unreadable. */
const UNREADABLE_ONE_IN = 1_000;

/**
 * Streams a file into the new table.
 * @throws {ImportRefused} when it is not a complete file of the register
 */
export async function loadSource(
  client: Client,
  source: BulkSource,
  tally: ImportTally,
  options: { signal: AbortSignal; onProgress: ((progress: Progress) => void) | undefined },
): Promise<void> {
  const { title, advice } = source;
  const { date, size, chunks } = await source.open(options.signal);
  const asOf = date.subtract(MARGIN);
  const kinds = new Set<Kind>();
  let bytes = 0;

  async function* countBytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }

  async function* rows(): AsyncGenerator<string> {
    for await (const readings of readBulkFile(countBytes())) {
      const units: Unit[] = [];
      for (const reading of readings) {
        if (reading.outcome === 'found') {
          units.push(reading.unit);
          kinds.add(kindOf(reading.unit));
        } else if (reading.outcome === 'unreadable') {
          tally.unreadable += 1;
          tally.why ??= reading.why;
        }
      }
      tally.loaded += units.length;
      options.onProgress?.({ title, done: bytes, size, count: tally.loaded });
      if (units.length > 0) yield copyText(units, asOf);
    }
  }

  try {
    await copyRows(client, rows(), options.signal);
  } catch (cause) {
    if (!(cause instanceof BulkFileFault)) throw cause;
    throw new ImportRefused(`${title} ${cause.message}: ${advice}`, { cause });
  }
  for (const kind of kinds) {
    const other = tally.asOf[kind];
    if (!other || Temporal.Instant.compare(asOf, other) < 0) tally.asOf[kind] = asOf;
  }
}

/** Sends rows in the text format of COPY. They are frozen at once, so that no later vacuum has to do it. */
export async function copyRows(
  client: Client,
  rows: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const copy = client.query(copyFrom(`copy ${NEXT} (${COLUMNS.join(', ')}) from stdin with (freeze)`));
  await pipeline(rows, copy, { signal });
}

const ESCAPED = /[\\\t\n\r]/;
const ALL_ESCAPED = new RegExp(ESCAPED, 'g');
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const LAST_COLUMN = COLUMNS.at(-1);

/** Units in the text format of COPY, a line each. */
export function copyText(units: readonly Unit[], asOf: Temporal.Instant): string {
  const time = asOf.toString();
  let text = '';
  for (const unit of units) {
    const row = rowOf(unit, time);
    for (const column of COLUMNS) text += `${copyValue(row[column])}${column === LAST_COLUMN ? '\n' : '\t'}`;
  }
  return text;
}

function copyValue(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  const text = String(value);
  // Few values need escaping, and an import has millions: looking is cheaper than replacing nothing.
  return ESCAPED.test(text) ? text.replaceAll(ALL_ESCAPED, (character) => ESCAPES[character]!) : text;
}

/** @throws {ImportRefused} when the files hold no unit, or too many records that cannot be read */
export function checkRecords({ loaded, unreadable, why }: ImportTally): void {
  const records = loaded + unreadable;
  if (records === 0) throw new ImportRefused('There is no active unit to import');
  if (unreadable * UNREADABLE_ONE_IN > records) {
    throw new ImportRefused(
      `${unreadable} of ${records} records cannot be read, more than one in ${UNREADABLE_ONE_IN} (for example: ${why}): the file is damaged, or the register has changed its format and a newer release of this service is needed`,
    );
  }
}

/** The kinds that the files hold. */
export function kindsOf(tally: ImportTally): Kind[] {
  return KINDS.filter((kind) => tally.asOf[kind]);
}
