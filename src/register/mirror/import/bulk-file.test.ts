import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inventRecord } from '../../../../bench/register-record.ts';
import {
  deletedRecordOf,
  fullRecord,
  fullSubUnitRecord,
  recordOf,
} from '../../../../test/register-records.ts';
import { readRecord } from '../../national/answer.ts';
import type { Unit } from '../../register.ts';
import { REAL_UNITS } from '../../sandbox/sandbox.ts';
import { readBulkFile } from './bulk-file.ts';
import { generatedOrgnr } from '../../../../test/generated-orgnr.ts';
import { generatedUnit } from '../../sandbox/generated.ts';

const RECORDS: object[] = [
  fullRecord('333333333'),
  fullSubUnitRecord('311777777'),
  deletedRecordOf({ orgnr: '304444444', name: 'SLETTET AS', org_form: 'AS', on: '2024-03-09' }),
  ...REAL_UNITS.map(recordOf),
  ...Array.from({ length: 30 }, (_, index) => recordOf(generatedUnit(generatedOrgnr(index)))),
  ...Array.from({ length: 60 }, (_, index) => inventRecord(generatedOrgnr(index), index % 2 === 0)),
];

/** Layouts of one text: each is the same JSON. */
const LAYOUTS: Record<string, (value: unknown) => string> = {
  'two spaces': (value) => JSON.stringify(value, null, 2),
  'one line': (value) => JSON.stringify(value),
  tabs: (value) => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n'),
  'a space before the colon': (value) => JSON.stringify(value, null, 2).replaceAll(/^( *"\w+"):/gm, '$1 :'),
  'escaped letters': (value) =>
    JSON.stringify(value).replaceAll(
      /[^ -~]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
};
const layout = fc.constantFrom(...Object.values(LAYOUTS));

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer | string, size = 1_000) {
  const readings = (await Array.fromAsync(readBulkFile(inChunks(Buffer.from(bytes), size)))).flat();
  const unreadable = readings.filter((reading) => reading.outcome === 'unreadable');
  const units = readings.flatMap((reading) => (reading.outcome === 'found' ? [reading.unit] : []));
  const gone = readings.length - units.length - unreadable.length;
  return { units, gone, unreadable: unreadable.length, why: unreadable[0]?.why };
}

/** What the reader of a look-up's answer says of each record. */
function expected(records: readonly object[]): Unit[] {
  return records
    .map((record) => readRecord(record))
    .flatMap((reading) => (reading.outcome === 'found' ? [reading.unit] : []));
}

it('any records are read as the answers of look-ups are, in every layout and wherever they are cut', async () => {
  const names = Object.keys({ ...fullRecord('333333333'), slettedato: '' });
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('', '"', '\\', '{', '}', '[{', '\u00a0', 'Ø', '😀', 'é'.repeat(200), '\u{feff}x'),
  );
  const value = fc.oneof(text, fc.integer(), fc.record({ kode: text }), fc.jsonValue());
  const changes = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
  const record = fc
    .tuple(fc.constantFrom(fullRecord('333333333'), fullSubUnitRecord('311777777')), changes)
    .map(([whole, changed]) => ({ ...whole, ...changed }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(record),
      layout,
      fc.integer({ min: 1, max: 3_000 }),
      async (records, write, size) => {
        expect((await read(write(records), size)).units).toEqual(expected(records));
      },
    ),
    { numRuns: 300 },
  );
});

describe('a file', () => {
  it('gives the same records wherever its bytes are cut, in every layout, gzipped or not', async () => {
    const active = expected(RECORDS);
    for (const write of Object.values(LAYOUTS)) {
      const text = write(RECORDS);
      for (const bytes of [Buffer.from(text), gzipSync(text)]) {
        for (const size of [67, 4_096, 10_000_000]) {
          const { units, gone, unreadable } = await read(bytes, size);
          expect(units).toEqual(active);
          expect([gone, unreadable]).toEqual([1, 0]);
        }
      }
    }
  });

  it.each([1, 2, 5, 1_000])('may begin with a byte order mark, in chunks of %i', async (size) => {
    const text = Buffer.from(`\ufeff${JSON.stringify([fullRecord('333333333')])}`);
    for (const bytes of [text, gzipSync(text)]) expect((await read(bytes, size)).units).toHaveLength(1);
  });

  it('with a record that is not UTF-8 loses that record alone', async () => {
    const records = ['311111111', '322222222', '333333333'].map(fullRecord);
    const bytes = Buffer.from(JSON.stringify(records));
    // In latin1 an Ø is one byte, which is not valid UTF-8 here.
    const name = bytes.indexOf('navn', bytes.indexOf('322222222')) + 'navn":"'.length;
    bytes[name] = 0xd8;
    const { units, unreadable } = await read(bytes);
    expect(units.map(({ orgnr }) => orgnr)).toEqual(['311111111', '333333333']);
    expect(unreadable).toBe(1);
  });

  it.each(['plain', 'gzip'])('closes its source when nobody reads on: %s', async (form) => {
    const text = Buffer.from(JSON.stringify(RECORDS));
    let isClosed = false;
    async function* source() {
      try {
        yield* inChunks(form === 'gzip' ? gzipSync(text) : text, 1_000);
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of readBulkFile(source())) break;
    await expect.poll(() => isClosed).toBe(true);
  });

  it('may be an empty array', async () => {
    expect((await read(' [\n] \n')).units).toEqual([]);
  });

  it('is refused wherever it is cut off', async () => {
    const text = Buffer.from(JSON.stringify([fullRecord('333333333'), fullRecord('310211036')], null, 2));
    const packed = gzipSync(text);
    for (let length = 0; length < text.length; length += 7) {
      await expect(read(text.subarray(0, length))).rejects.toThrow(/is cut off|is empty/);
    }
    for (let length = 2; length < packed.length; length += 7) {
      await expect(read(packed.subarray(0, length))).rejects.toThrow('is cut off');
    }
  });

  it.each([
    ['a page for people', '<!doctype html><title>Logg inn</title>', 'is not a file of the register'],
    ['one record', JSON.stringify(fullRecord('333333333')), 'is not a file of the register'],
    ['a list of numbers', '[1, 2]', 'is damaged'],
    ['a comma too many', '[{},]', 'is damaged'],
    ['no comma', '[{} {}]', 'is damaged'],
    ['two arrays', '[{}][{}]', 'is damaged'],
    ['a record without quotes', '[{navn: "X"}]', 'is damaged'],
    ['a word that is none', '[{"a": nope}]', 'is damaged'],
    ['a line break in a text', '[{"a": "b\nc"}]', 'is damaged'],
    ['brackets that do not match', '[{"a": [1}]}]', 'is damaged'],
    ['no end to its depth', `[{"a": ${'['.repeat(100)}`, 'is cut off'],
    ['a record without an end', `[{"a": "${'x'.repeat(2_000_000)}`, 'more than a mebibyte'],
    ['damaged gzip', gzipSync('[{}, {}]').fill(0xff, 10, 14), 'is damaged'],
  ])('that is %s is refused', async (_, bytes, why) => {
    await expect(read(bytes, 50_000)).rejects.toThrow(why);
  });

  it('counts records that it cannot read, and goes on', async () => {
    const latin1 = Buffer.from('{"organisasjonsnummer":"333333333","navn":"S\xd8R AS"}', 'latin1');
    const bytes = Buffer.concat([
      Buffer.from('[{}, {"organisasjonsnummer":"310211036","navn":"X"}, '),
      latin1,
      Buffer.from(`, ${JSON.stringify(fullRecord('333333333'))}]`),
    ]);
    const { units, unreadable, why } = await read(bytes);
    expect([units.length, unreadable]).toEqual([1, 3]);
    expect(why).toContain('organisasjonsnummer');
  });
});
