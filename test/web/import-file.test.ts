import { expect, test } from 'vitest';
import { BODY_LIMITS } from '../../src/http/json-body.ts';
import { digestOf, isText, parseFile, writeFile } from '../../web/routes/import/read-file.ts';
import { batchesOf } from '../../web/routes/import/send.ts';

const ROWS = [
  ['Navn', 'Notat'],
  ['Åse Ærø', 'to\nlinjer; "sitat", og\tmer'],
];
const QUOTED = '"to\nlinjer; ""sitat"", og\tmer"';
const textOf = (separator: string) => `Navn${separator}Notat\r\nÅse Ærø${separator}${QUOTED}\r\n\r\n`;

const parseText = (text: string) => parseFile(Buffer.from(text));

const utf16 = (text: string, first: number[]) => {
  const bytes = Buffer.from(text, 'utf16le');
  return Buffer.concat([Buffer.from(first), first[0] === 0xfe ? bytes.swap16() : bytes]);
};

test.each([
  ['utf-8', (text: string) => Buffer.from(text)],
  ['utf-8', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['windows-1252', (text: string) => Buffer.from(text, 'latin1')],
  ['utf-16le', (text: string) => utf16(text, [0xff, 0xfe])],
  ['utf-16be', (text: string) => utf16(text, [0xfe, 0xff])],
  ['utf-16le', (text: string) => utf16(text, [])],
] as const)('a file in %s is read, whatever separates its cells', async (encoding, encode) => {
  for (const separator of [';', ',', '\t'] as const) {
    const { header, rows, ...found } = await parseFile(encode(textOf(separator)));
    expect(found).toEqual({ encoding, separator });
    expect([header, ...rows.map(({ cells }) => cells)]).toEqual(ROWS);
    expect(rows.map(({ line }) => line)).toEqual([2]);
    expect(isText(encode(textOf(separator)))).toBe(true);
  }
});

test.each([
  ['Navn;Notat\r\nKari;a\r\nOla;b\nPer;c\nPål;d\n', 'those of two files'],
  ['Navn;Notat\nKari;a\r\nOla;b\nPer;c\r\nPål;d', 'those of two files, the other way round'],
  ['Navn;Notat\r\r\nKari;a\r\r\nOla;b\r\r\nPer;c\r\r\nPål;d\r\r\n', 'those that were changed twice'],
  ['Navn;Notat\rKari;a\rOla;b\rPer;c\rPål;d\r', 'those of an old Mac'],
])('%j is read as it is with line ends of one kind: %s', async (text) => {
  const { header, rows } = await parseText(text);
  expect([header, ...rows.map(({ cells }) => cells)]).toEqual([
    ['Navn', 'Notat'],
    ['Kari', 'a'],
    ['Ola', 'b'],
    ['Per', 'c'],
    ['Pål', 'd'],
  ]);
});

test('a carriage return within a cell is none of the line ends of its file', async () => {
  const { rows } = await parseText('Navn;Adresse;Epost\r\nKari;Gata 1\rOslo;k@x.no\r\nOla;"Gata\n2";\r\n');
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['Kari', 'Gata 1\rOslo', 'k@x.no'],
    ['Ola', 'Gata\n2', ''],
  ]);
});

test('the first line end tells what ends the lines: a line feed that was added last changes nothing', async () => {
  const { rows } = await parseText('Navn;By\rKari;Oslo\rOla;Bergen\r\n');
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['Kari', 'Oslo'],
    ['Ola', 'Bergen'],
  ]);
});

test('a file of one column is not cut at what its cells hold', async () => {
  const { rows } = await parseText('Navn\nHansen, Ola\nOlsen; Kari\n');
  expect(rows.map(({ cells }) => cells)).toEqual([['Hansen, Ola'], ['Olsen; Kari']]);
});

test('the first row that holds something beyond the header is named', async () => {
  expect(await parseText('Navn;Notat\nKari;a;;\nOla;b;;x\nPer;c;y')).toMatchObject({ tooLong: 3 });
  expect(await parseText('Navn;Notat\nKari;a;;\nOla')).toMatchObject({ tooLong: undefined });
});

test.each([
  ['picture', '89504e470d0a1a0a0000000d49484452'],
  ['workbook or another archive', '504b030414000600080000002100'],
  ['older workbook', 'd0cf11e0a1b11ae10000000000000000'],
])('a %s is not text', (_, start) => {
  expect(isText(Buffer.from(start, 'hex'))).toBe(false);
});

test('what would be a formula gets an apostrophe in a file that is written', async () => {
  const text = await (await writeFile(['x'], [['=1'], ['+1'], ['-1'], ['@x'], ['x']])).text();
  const lines = text.replace('\uFEFF', '').replaceAll('"', '').split('\r\n');
  expect(lines).toEqual(['x', "'=1", "'+1", "'-1", "'@x", 'x']);
});

test.each([
  ['Navn;Notat', 'Ola;x', 'Kari;"Bamse" ringes sist', 'Per;y', 'Pål;z'],
  ['Navn;Notat', '', 'Kari;"Bamse', 'Per;y'],
])('the row whose quotation mark takes in the rows below is named', async (...lines) => {
  expect(await parseText(lines.join('\r\n'))).toMatchObject({ openQuote: 3 });
});

test('files differ by their digest where a header, a cell or the line of a row does', async () => {
  const texts = [
    'Navn;Notat\nKari;x\nOla;y',
    'navn;Notat\nKari;x\nOla;y',
    'Navn;Notat\nKari;x\nOla;z',
    'Navn;Notat\nOla;y\nKari;x',
    'Navn;Notat\nKari;x\n\nOla;y',
    'Navn;Notat\nKari;\nx;y',
  ];
  const digests = await Promise.all(texts.map(async (text) => digestOf(await parseText(text))));
  expect(new Set(digests).size).toBe(texts.length);
  const saved = Buffer.from('\uFEFFNavn;"Notat"\r\nKari;x\r\nOla;y\r\n');
  expect(digestOf(await parseFile(saved))).toBe(digests[0]);
});

test('a cell that is too long for a request is replaced by one that every field refuses', () => {
  const long = { line: 3, cells: ['Kari', 'æ\n'.repeat(100_000), 'x'] };
  const others = [2, 4].map((line) => ({ line, cells: ['Ola', 'æ\n'.repeat(30_000), ''] }));
  const batches = batchesOf([others[0]!, long, others[1]!]);
  const [first, second, third] = batches.flat();
  expect([first, third]).toEqual(others);
  expect(second).toEqual({ line: 3, cells: ['Kari', expect.stringMatching(/^x:x{20000}$/), 'x'] });
  for (const batch of batches) {
    expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(BODY_LIMITS.bytes - 10_000);
  }
});

test.each([1, 8, 100, 200])('rows of %i columns are sent in portions that a request takes', (count) => {
  const columns = Array.from({ length: count }, () => 'other');
  const rows = Array.from({ length: 250 }, (_, line) => ({ line, cells: columns }));
  const batches = batchesOf(rows);
  expect(batches.flat()).toEqual(rows);
  for (const batch of batches) {
    const body = JSON.stringify({ resource: 'contact', columns, rows: batch });
    expect(body.split(',').length).toBeLessThanOrEqual(BODY_LIMITS.members);
  }
});
