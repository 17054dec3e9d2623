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
import { readBulkFile, type BulkBatch } from './bulk-file.ts';
import { readBulkRecord, readPlainly, readWhole, type BulkRecord } from './bulk-record.ts';
import { RecordScan } from './bulk-scan.ts';
import { generatedOrgnr, generatedUnit } from '../../sandbox/generated.ts';
import sandboxUnits from '../../sandbox/units.json' with { type: 'json' };

const RECORDS: object[] = [
  fullRecord('333333333'),
  fullSubUnitRecord('311777777'),
  deletedRecordOf({ orgnr: '304444444', name: 'SLETTET AS', org_form: 'AS', on: '2024-03-09' }),
  ...sandboxUnits.units.map(recordOf),
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

async function read(bytes: Buffer | string, size = 1_000): Promise<BulkBatch> {
  const all: BulkBatch = { records: [], gone: 0, unreadable: 0, why: undefined };
  for await (const batch of readBulkFile(inChunks(Buffer.from(bytes), size))) {
    all.records.push(...batch.records);
    all.gone += batch.gone;
    all.unreadable += batch.unreadable;
    all.why ??= batch.why;
  }
  return all;
}

/** What the way of a look-up says of each record. */
function expected(records: readonly object[]): BulkRecord[] {
  return records
    .map((record) => readWhole(Buffer.from(JSON.stringify(record))))
    .filter((reading) => typeof reading === 'object' && 'unit' in reading);
}

describe('a record read off its bytes', () => {
  const scan = new RecordScan();

  function bothWays(text: string): [unknown, unknown] {
    const bytes = Buffer.from(text);
    expect(scan.run(bytes, 0)).toBe(bytes.length);
    return [readBulkRecord(bytes, 0, bytes.length, scan), readWhole(bytes)];
  }

  it('is nearly always plain', () => {
    const plain = RECORDS.filter((record) => {
      const bytes = Buffer.from(JSON.stringify(record));
      return readPlainly(bytes, 0, scan.run(bytes, 0), scan) !== undefined;
    });
    expect(plain.length).toBeGreaterThan(RECORDS.length * 0.9);
  });

  it('says what a look-up says, in every layout', () => {
    for (const record of RECORDS) {
      for (const write of Object.values(LAYOUTS)) {
        const [quickly, slowly] = bothWays(write(record));
        expect(quickly).toEqual(slowly);
      }
    }
  });

  it('says what a look-up says, whatever its fields hold', () => {
    const names = Object.keys({ ...fullRecord('333333333'), slettedato: '' });
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('', ' ', '\u00a0', 'Ø', '😀', 'a'.repeat(254) + 'Å', 'é'.repeat(200), '\u{feff}x'),
      fc.constantFrom('2024-02-29', '2023-02-29', '0000-01-01', '2024-13-01', '2024-12-31', '1900-02-29'),
      fc.constantFrom('AS', 'SÆR', 'BEDR', 'as', 'Underenhet', 'Enhet', 'SlettetEnhet', '62.100', '62.1000'),
      fc.constantFrom('x'.repeat(2_048), 'x'.repeat(2_049), '123456789', '12345678', '１２３４５６７８９'),
    );
    const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, 1e20, 2 ** 31, 999_999_999));
    const value = fc.oneof(text, number, fc.record({ kode: fc.oneof(text, number) }), fc.jsonValue());
    const changes = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 });
    const kind = fc.constantFrom(fullRecord('333333333'), fullSubUnitRecord('311777777'));
    fc.assert(
      fc.property(
        kind,
        changes,
        fc.array(fc.constantFrom(...names)),
        layout,
        (record, changed, left, write) => {
          const { ...made }: Record<string, unknown> = { ...record, ...changed };
          for (const name of left.slice(0, 3)) delete made[name];
          const [quickly, slowly] = bothWays(write(made));
          expect(quickly).toEqual(slowly);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('takes the last of two members with one name, as JSON.parse does', () => {
    const record = JSON.stringify(fullRecord('333333333'));
    for (const last of [
      '"navn":"SIST"',
      '"navn":null',
      '"antallAnsatte":7',
      '"organisasjonsform":{}',
      '"organisasjonsform":{"kode":"AS","kode":"DA"}',
      '"n\\u0061vn":"SIST"',
      '"naeringskode1":null',
    ]) {
      const [quickly, slowly] = bothWays(record.replace(/\}$/, `,${last}}`));
      expect(quickly).toEqual(slowly);
    }
  });
});

describe('a file', () => {
  it('gives the same records wherever its bytes are cut, in every layout, gzipped or not', async () => {
    const active = expected(RECORDS);
    for (const write of Object.values(LAYOUTS)) {
      const text = write(RECORDS);
      for (const bytes of [Buffer.from(text), gzipSync(text)]) {
        for (const size of [67, 4_096, 10_000_000]) {
          const { records, gone, unreadable } = await read(bytes, size);
          expect(records).toEqual(active);
          expect([gone, unreadable]).toEqual([1, 0]);
        }
      }
    }
  });

  it.each([1, 2, 5, 1_000])('may begin with a byte order mark, in chunks of %i', async (size) => {
    const text = Buffer.from(`\ufeff${JSON.stringify([fullRecord('333333333')])}`);
    for (const bytes of [text, gzipSync(text)]) expect((await read(bytes, size)).records).toHaveLength(1);
  });

  it('may be an empty array', async () => {
    expect((await read(' [\n] \n')).records).toEqual([]);
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
    ['a page for people', '<!doctype html><title>Logg inn</title>', 'is no file of the register'],
    ['one record', JSON.stringify(fullRecord('333333333')), 'is no file of the register'],
    ['a list of numbers', '[1, 2]', 'is damaged'],
    ['a comma too many', '[{},]', 'is damaged'],
    ['no comma', '[{} {}]', 'is damaged'],
    ['two arrays', '[{}][{}]', 'is damaged'],
    ['a record without quotes', '[{navn: "X"}]', 'is damaged'],
    ['a word that is none', '[{"a": nope}]', 'is damaged'],
    ['a line break in a text', '[{"a": "b\nc"}]', 'is damaged'],
    ['brackets that do not match', '[{"a": [1}]}]', 'is damaged'],
    ['no end to its depth', `[{"a": ${'['.repeat(100)}`, 'is damaged'],
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
    const { records, unreadable, why } = await read(bytes);
    expect([records.length, unreadable]).toEqual([1, 3]);
    expect(why).toContain('organisasjonsnummer');
  });
});
