import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { generatedOrgnr } from '../../../../test/generated-orgnr.ts';
import { emptyMirror, unit } from '../../../../test/mirrored-register.ts';
import { recordOf, type RegisterRecord } from '../../../../test/register-records.ts';
import { createWorld } from '../../../../test/world.ts';
import { generatedUnit } from '../../sandbox/generated.ts';
import { rowsOf } from '../units.ts';
import { importRegister, type ImportOptions } from './import.ts';
import { fileSource } from './source.ts';

const world = await createWorld();
const query: typeof world.query = (text, values) => world.query(text, values);
const folder = await mkdtemp(join(tmpdir(), 'kundebok-import-'));
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => emptyMirror(world));

const RECORDS = Array.from({ length: 2_000 }, (_, index) =>
  recordOf({ ...generatedUnit(generatedOrgnr(index)), mobile_number: '900 00 000' }),
);

async function importRecords(records: readonly RegisterRecord[], options: Partial<ImportOptions> = {}) {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(path, JSON.stringify(records));
  return importRegister({ databaseUrl: world.databaseUrl, sources: [fileSource(path)], ...options });
}

const first = async () => (await query('select * from register_units order by orgnr limit 1'))[0];

const without = (name: string, records = RECORDS) =>
  records.map(({ [name]: value, ...rest }) => ({ ...rest, renamed: value }) as unknown as RegisterRecord);

describe('values that the files no longer state', () => {
  const NAMES = {
    employees: 'antallAnsatte',
    nace_primary: 'naeringskode1',
    email_address: 'epostadresse',
    phone_number: 'telefon',
    mobile_number: 'mobil',
    website_url: 'hjemmeside',
  };
  it.each(Object.entries(NAMES))('are refused, and the field is named: %s', async (field, name) => {
    await importRecords(RECORDS);
    const row = await first();
    await expect(importRecords(without(name))).rejects.toThrow(
      `${field} is stated for 0.0 % of the units in the files`,
    );
    expect(await first()).toEqual(row);
    expect(await importRecords(without(name), { acceptLoss: true })).toMatchObject({ units: 2_000 });
  });

  it.each([
    ['employees', 'antallAnsatte', '1.0 %'],
    ['nace_primary', 'naeringskode1', '50.0 %'],
  ])(
    'are refused in a first import too where nearly all units should state them: %s',
    async (field, name, floor) => {
      await expect(importRecords(without(name))).rejects.toThrow(
        `${field} is stated for 0.0 % of the units in the files, where at least ${floor} are expected`,
      );
    },
  );

  it.each(['navn', 'organisasjonsform', 'registreringsdatoEnhetsregisteret'])(
    'are refused in any import where every unit must state them: %s',
    async (name) => {
      await expect(importRecords(without(name))).rejects.toThrow(`(${name}: `);
    },
  );

  it.each(['epostadresse', 'telefon', 'mobil', 'hjemmeside'])(
    'are not refused in a first import if they are contact details: %s',
    async (name) => {
      expect(await importRecords(without(name))).toMatchObject({ units: 2_000 });
    },
  );

  it.each([
    ['a number as text', { antallAnsatte: '12' }],
    ['an email address as an object', { epostadresse: { adresse: 'post@prove.example' } }],
  ])('are refused when they have another type: %s', async (_, fields) => {
    const retyped = RECORDS.map((record) => ({ ...record, ...fields }));
    await expect(importRecords(retyped)).rejects.toThrow(Object.keys(fields)[0]!);
  });

  it('are not refused when a fifth of them is missing', async () => {
    await importRecords(RECORDS);
    const lost = without('telefon');
    const fewer = RECORDS.map((record, index) => (index % 5 === 0 ? lost[index]! : record));
    expect(await importRecords(fewer)).toMatchObject({ units: 2_000 });
  });

  it('are not judged by a few units that were looked up before the first import', async () => {
    const known = RECORDS.filter((record) => 'antallAnsatte' in record).slice(0, 300);
    const units = known.map(({ organisasjonsnummer }) => unit({ orgnr: organisasjonsnummer }));
    await query(
      `insert into register_units select * from jsonb_populate_recordset(null::register_units, $1::jsonb)`,
      [rowsOf(units, new Date().toISOString())],
    );
    expect(await importRecords(RECORDS)).toMatchObject({ units: 2_000 });
  });

  it.each([30, 100])('are refused in a small list too: %i units', async (count) => {
    const stating = RECORDS.filter((record) => 'antallAnsatte' in record).slice(0, count);
    await importRecords(stating);
    await expect(importRecords(without('antallAnsatte', stating))).rejects.toThrow(
      'employees is stated for 0.0 %',
    );
  });
});
