import type { CallOptions } from '../../client/call.ts';
import { Unreachable } from '../../client/problem.ts';

/** As they are written. */
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

/** The encoding that a file begins with, else the one that its bytes can be. */
function findEncoding(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Latin letters take every other byte of UTF-16.
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

/** Pictures, workbooks and archives have null bytes, which text in a file's encoding does not. */
export function isText(bytes: Uint8Array): boolean {
  return !new TextDecoder(findEncoding(bytes)).decode(bytes).includes('\0');
}

/** @param as what somebody has chosen in place of what was found */
export async function parseFile(bytes: Uint8Array, as?: Reading): Promise<Parsed> {
  const { default: Papa } = await import('papaparse').catch((cause: unknown) => {
    throw new Unreachable(cause);
  });
  const encoding = as?.encoding ?? findEncoding(bytes);
  const text = endLinesAlike(new TextDecoder(encoding).decode(bytes));
  // Blank lines have one cell, whatever separates the others: they say nothing.
  const { meta, data: start } = Papa.parse<string[]>(text, {
    delimitersToGuess: [...SEPARATORS],
    skipEmptyLines: 'greedy',
    preview: 10,
  });
  // A file of one column has no separator: nothing in it is one.
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

/** Files that were joined have lines that end in several ways, of which the library takes one. */
function endLinesAlike(text: string): string {
  const [first] = /\r+\n|\r|\n/.exec(text.replaceAll(/"[^"]*"/g, '')) ?? [];
  // Where lines end otherwise, a carriage return alone is a line break within a cell.
  const isLineEnd = first === '\r' ? /\r+\n|\r/g : /\r+\n/g;
  return text.replaceAll(isLineEnd, '\n');
}

/**
 * Differs where a header or a row does, also in its line. It only guards against mistakes: a page that came over http
 * from another host has no `crypto.subtle`.
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
