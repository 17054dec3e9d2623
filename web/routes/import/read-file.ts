import type { CallOptions } from '../../client/call.ts';
import { Unreachable } from '../../client/problem.ts';

/** Encodings, with the names that the page shows. */
export const ENCODINGS = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
} as const;
export type Encoding = keyof typeof ENCODINGS;

export const SEPARATORS = [';', ',', '\t', '|'] as const;
type Separator = (typeof SEPARATORS)[number];

export type Row = CallOptions<'POST /import-checks'>['body']['rows'][number];

/** How a file becomes rows. */
export type Reading = { encoding: Encoding; separator: Separator };

/**
 * A file as it was read: its header, and each row below that holds anything, with its line.
 * `openQuote`: the line of the first unclosed quotation mark; its cell contains the lines below.
 * `tooLong`: the line of the first row that holds anything beyond the header.
 */
export type Parsed = Reading & {
  header: string[];
  rows: Row[];
  openQuote: number | undefined;
  tooLong: number | undefined;
};

export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_COLUMNS = 200;

/** The encoding that the byte order mark states; without one, the first that the bytes fit. */
function findEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // In UTF-16, every other byte of Latin text is zero.
  const start = bytes.subarray(0, 400);
  const zeros = (rest: number) => start.filter((byte, index) => index % 2 === rest && byte === 0).length;
  if (zeros(1) > start.length / 4) return 'utf-16le';
  if (zeros(0) > start.length / 4) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Pictures, workbooks and archives have null bytes. Text has none, once it is decoded. */
export function isText(bytes: Uint8Array): boolean {
  return !new TextDecoder(findEncoding(bytes)).decode(bytes).includes('\0');
}

/** @param as the encoding and separator that somebody has chosen; without it, they are found from the file */
export async function parseFile(bytes: Uint8Array, as?: Reading): Promise<Parsed> {
  const { default: Papa } = await import('papaparse').catch((cause: unknown) => {
    throw new Unreachable(cause);
  });
  const encoding = as?.encoding ?? findEncoding(bytes);
  const text = endLinesAlike(new TextDecoder(encoding).decode(bytes));
  // Blank lines have one cell with any separator, so they are skipped: they say nothing about it.
  const { meta, data: start } = Papa.parse<string[]>(text, {
    delimitersToGuess: [...SEPARATORS],
    skipEmptyLines: 'greedy',
    preview: 10,
  });
  // A file of one column has no separator: the first that does not occur in the text is taken.
  const found =
    start[0]?.length === 1 ? (one: string) => !text.includes(one) : (one: string) => one === meta.delimiter;
  const separator = as?.separator ?? SEPARATORS.find(found) ?? ';';
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: separator, newline: '\n' });
  const [header = [], ...rest] = data;
  const rows = rest.flatMap((cells, index) =>
    cells.every((cell) => cell.trim() === '') ? [] : [{ line: index + 2, cells }],
  );
  const [wrong] = errors;
  const openQuote = wrong && (wrong.row ?? 0) + 1;
  const tooLong = rows.find(({ cells }) => cells.slice(header.length).some((cell) => cell.trim() !== ''));
  return { header, rows, encoding, separator, openQuote, tooLong: tooLong?.line };
}

/** Makes line ends alike: a file joined from others may have several kinds, and the library takes only one. */
function endLinesAlike(text: string): string {
  const [first] = /\r+\n|\r|\n/.exec(text.replaceAll(/"[^"]*"/g, '')) ?? [];
  // Unless lines end in a carriage return alone, a lone carriage return is a line break within a cell.
  const isLineEnd = first === '\r' ? /\r+\n|\r/g : /\r+\n/g;
  return text.replaceAll(isLineEnd, '\n');
}

/**
 * A digest of the headers and rows, line numbers included. It only guards against mistakes, and is not cryptographic: a
 * page that came over http from another host has no `crypto.subtle`.
 */
export function digestOf({ header, rows }: Pick<Parsed, 'header' | 'rows'>): string {
  let [one, other] = [0, 0];
  for (const byte of new TextEncoder().encode(JSON.stringify([header, rows]))) {
    one = Math.imul(one ^ byte, 0x9e3779b1);
    other = Math.imul(other ^ byte, 0x5f356495);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Rows as a file that Excel opens, and that can be read in again. */
export async function writeFile(header: readonly string[], rows: readonly string[][]): Promise<Blob> {
  const { default: Papa } = await import('papaparse');
  const text = Papa.unparse([[...header], ...rows], {
    delimiter: ';',
    newline: '\r\n',
    escapeFormulae: true,
  });
  return new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' });
}
