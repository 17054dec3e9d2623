import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Caller, Download } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';

type Cell = string | number | null;

/**
 * A CSV file that a Norwegian Excel opens correctly: UTF-8 with a byte order mark, semicolons, and an apostrophe
 * before a cell that Excel would read as a formula. Rows are written as they arrive.
 */
export function csvFile(
  name: string,
  header: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): Download {
  const writer = stringify({
    bom: true,
    delimiter: ';',
    record_delimiter: 'windows',
    escape_formulas: true,
    // A line break of any kind ends a row unless it is quoted.
    quoted_match: /[\r\n]/,
  });
  // If the rows fail, the answer ends early and reports the failure.
  const content = pipeline(Readable.from(prepend(header, rows)), writer, () => undefined);
  return { name, type: 'text/csv; charset=utf-8', content };
}

/** A file that is not sent, as for HEAD, stops after the header: no rows are read. */
async function* prepend(header: readonly Cell[], rows: AsyncIterable<readonly Cell[]>) {
  yield header;
  yield* rows;
}

/**
 * Ends the file of a caller who may no longer read it; checked for each part after the part was read.
 * @throws {Problem} unauthorized
 */
export async function mustStillBeGood({ isStillGood }: Caller): Promise<void> {
  if (!(await isStillGood())) throw new Problem('unauthorized', 'The caller may no longer read this file');
}

/** Text that looks like a formula to which the writer has added its apostrophe. */
const PROTECTED = /^'+[=+\-@\t\r＝＋－＠]/;

/** Adds an apostrophe to text that already begins with one, so that removing one restores the text. */
export function keepApostrophe(cell: string): string {
  return PROTECTED.test(cell) ? `'${cell}` : cell;
}

/** Removes the apostrophe before a formula. */
export function unprotectFormula(cell: string): string {
  return PROTECTED.test(cell) ? cell.slice(1) : cell;
}
