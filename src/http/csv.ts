import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Download } from './endpoint.ts';

type Cell = string | number | null;

/**
 * A CSV file that a Norwegian Excel opens right: UTF-8 with a mark, semicolons, and an apostrophe before a cell that
 * would be taken for a formula. Rows are written as they come.
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
    // A line break of any kind ends a row unless it stands in quotes.
    quoted_match: /[\r\n]/,
  });
  const source = Readable.from(prepend(header, rows));
  // A failure of the source ends the file, and with it the answer.
  source.on('error', (error) => writer.destroy(error));
  writer.on('close', () => source.destroy());
  return { name, type: 'text/csv; charset=utf-8', content: source.pipe(writer) };
}

async function* prepend(header: readonly Cell[], rows: AsyncIterable<readonly Cell[]>) {
  yield header;
  yield* rows;
}
