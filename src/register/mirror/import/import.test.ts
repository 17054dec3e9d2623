import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fullRecord,
  fullSubUnitRecord,
  recordOf,
  type RegisterRecord,
} from '../../../../test/register-records.ts';
import { emptyMirror } from '../../../../test/mirrored-register.ts';
import { createWorld } from '../../../../test/world.ts';

import { fileSource, ImportRefused } from './source.ts';
import { importRegister, type ImportOptions } from './import.ts';
import { generatedOrgnr } from '../../../../test/generated-orgnr.ts';
import { generatedUnit } from '../../sandbox/generated.ts';
import { searchText } from '../../search-text.ts';

const world = await createWorld();
const query: typeof world.query = (text, values) => world.query(text, values);

const folder = await mkdtemp(join(tmpdir(), 'kundebok-import-'));
afterAll(() => rm(folder, { recursive: true }));

/** When the files were made. */
const NIGHT = new Date('2026-09-20T05:00:00.000Z');
const HOUR = 3_600_000;

const RECORDS = Array.from({ length: 2_000 }, (_, index) => recordOf(generatedUnit(generatedOrgnr(index))));
const NUMBERS = RECORDS.map((record) => record.organisasjonsnummer);
const BRANCHES = ['311777777', '311777785', '311777793'].map(fullSubUnitRecord);

beforeEach(() => emptyMirror(world));

async function file(text: string | Buffer, time = NIGHT): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.json.gz`);
  await writeFile(path, typeof text === 'string' ? gzipSync(text) : text);
  await utimes(path, time, time);
  return path;
}

const fileOf = (records: readonly object[], time?: Date) => file(JSON.stringify(records, null, 2), time);

function importFiles(paths: readonly string[], options: Partial<ImportOptions> = {}) {
  return importRegister({ databaseUrl: world.databaseUrl, sources: paths.map(fileSource), ...options });
}

const importRecords = async (...records: RegisterRecord[][]) =>
  importFiles(await Promise.all(records.map((list) => fileOf(list))));

const mirrored = async (orgnr: string) =>
  (
    await query('select *, deleted_on::text, registered_at::text from register_units where orgnr = $1', [
      orgnr,
    ])
  )[0];
const count = async () => (await query('select count(*)::int as count from register_units'))[0].count;
const locks = () =>
  query(`select from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`);
/** The table in service and its indexes, and what an import has put beside them. */
const tables = () =>
  query("select relname from pg_class where relname ~ '^register_(units|branches)' order by 1");
const inService = await tables();
const feeds = () => query('select kind, last_id::int, since from register_feeds order by kind');
const lastIds = async () => (await feeds()).map(({ last_id }) => last_id);
const mirror = async () => (await query('select * from register_mirror'))[0];

/** Stores a row, as a look-up or the feed does. */
function keep(orgnr: string, name: string, asOf: Date, more: { dissolved?: string; branch?: boolean } = {}) {
  return query(
    `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, deleted_on, is_branch, as_of)
     values ($1, $2, 'AS', '2020-01-01', 0, '00.000', $3, $4, $5)
     on conflict (orgnr) do update set name = excluded.name, as_of = excluded.as_of`,
    [orgnr, name, more.dissolved ?? null, more.branch ?? false, asOf],
  );
}

describe('an import', () => {
  it('makes the mirror what the files hold', async () => {
    const special = { ...fullRecord('333333333'), navn: 'TAB\tNY\nSTREK\\N "SÆR" 😀', telefon: '\\N' };
    const later = new Date(NIGHT.getTime() + HOUR);
    const [dayBefore, laterBefore] = [NIGHT, later].map((time) => new Date(time.getTime() - 24 * HOUR));
    const files = [await fileOf([...RECORDS, special]), await fileOf(BRANCHES, later)];
    expect(await importFiles(files)).toEqual({ units: 2_001, branches: 3, unreadable: 0, duplicates: 0 });
    expect(await mirrored('333333333')).toMatchObject({
      name: special.navn,
      org_form: 'SÆR',
      registered_at: '2001-02-03',
      employees: 12345,
      nace_primary: '86.101',
      email_address: 'post@fullstendig.example',
      phone_number: '\\N',
      deleted_on: null,
      is_branch: false,
      as_of: dayBefore,
      search: searchText(special.navn),
    });
    expect(await query("select orgnr from register_units where search = ''")).toEqual([]);
    expect(await mirrored('311777777')).toMatchObject({ is_branch: true, as_of: laterBefore });
    expect(await mirror()).toMatchObject({ current_at: dayBefore });
    expect(await feeds()).toEqual([
      { kind: 'branch', last_id: null, since: laterBefore },
      { kind: 'unit', last_id: null, since: dayBefore },
    ]);
    expect(await tables()).toEqual(inService);
  });

  it('keeps changes that are newer than the files, and dissolved units, which the files leave out', async () => {
    const [newer, older, gone, back, unknown] = NUMBERS as [string, string, string, string, string];
    await importRecords(RECORDS.slice(0, 100));
    await query('delete from register_units where orgnr = any($1)', [[newer, older, gone, back, unknown]]);
    const [lessThanADay, dayBefore] = [-23, -25].map((hours) => new Date(NIGHT.getTime() + hours * HOUR)) as [
      Date,
      Date,
    ];
    await keep(newer, 'NYERE AS', lessThanADay);
    await keep(older, 'ELDRE AS', dayBefore);
    await keep(gone, 'OPPLØST AS', dayBefore, { dissolved: '2026-09-01' });
    await keep(back, 'GJENOPPSTÅTT AS', dayBefore, { dissolved: '2026-09-01' });
    await query('update register_feeds set last_id = 7');

    await importRecords(RECORDS.slice(0, 100).filter((record) => record.organisasjonsnummer !== gone));
    expect(await mirrored(newer)).toMatchObject({ name: 'NYERE AS' });
    expect(await mirrored(older)).toMatchObject({ name: RECORDS[1]!['navn'] });
    expect(await mirrored(gone)).toMatchObject({ name: 'OPPLØST AS', deleted_on: '2026-09-01' });
    expect(await mirrored(back)).toMatchObject({ name: RECORDS[3]!['navn'], deleted_on: null });
    expect(await mirrored(unknown)).toMatchObject({ name: RECORDS[4]!['navn'] });
    expect(await count()).toBe(100);
    expect(await lastIds()).toEqual([7, null]);
  });

  it('drops active units that the files no longer hold', async () => {
    await importRecords(RECORDS.slice(0, 100));
    await importRecords(RECORDS.slice(5, 100));
    expect(await count()).toBe(95);
    expect(await mirrored(NUMBERS[0]!)).toBeUndefined();
  });

  it('of one kind leaves the rows of the other kind and its place in the feed as they are', async () => {
    await importRecords(RECORDS.slice(0, 10), BRANCHES);
    const current = new Date(NIGHT.getTime() - 25 * HOUR);
    await query('update register_feeds set last_id = 7');
    await query('update register_mirror set current_at = $1', [current]);
    await importRecords(RECORDS.slice(0, 11));
    expect(await count()).toBe(14);
    expect(await lastIds()).toEqual([7, null]);
    expect(await mirror()).toMatchObject({ current_at: current });
    await importRecords(BRANCHES.slice(0, 3));
    expect(await count()).toBe(14);
    expect(await lastIds()).toEqual([null, null]);
  });

  it('of a tenth fewer units is published', async () => {
    await importRecords(RECORDS.slice(0, 100));
    await importRecords(RECORDS.slice(0, 90));
    expect(await count()).toBe(90);
  });
});

describe('after an import, a feed is read from', () => {
  it.each([
    ['before the files', 'last_at = now()', NIGHT],
    [
      'the entry that was read last, if that was earlier',
      "last_at = '2026-09-10T05:00Z'",
      '2026-09-11T05:00Z',
    ],
    [
      'a day before the time of the mirror, where the entry that was read last has no date',
      'last_at = null',
      '2026-09-15T05:00Z',
    ],
  ])('%s', async (_, place, dayAfter) => {
    await importRecords(RECORDS.slice(0, 100));
    await query("update register_mirror set current_at = '2026-09-15T05:00Z'");
    await query(`update register_feeds set last_id = 7, since = '2026-05-01T05:00Z', ${place}`);
    await importRecords(RECORDS.slice(0, 100));
    const [, unit] = await feeds();
    const since = new Date(new Date(dayAfter).getTime() - 24 * HOUR);
    expect(unit).toEqual({ kind: 'unit', last_id: null, since });
  });
});

describe('records of an import', () => {
  it('may be unreadable, one in a thousand, and are counted', async () => {
    const bad = { ...RECORDS[0]!, navn: '' };
    expect(await importRecords([...RECORDS, bad, bad])).toMatchObject({ units: 2_000, unreadable: 2 });
    await expect(importRecords([...RECORDS, bad, bad, bad])).rejects.toThrow(
      '3 of 2003 records cannot be read',
    );
  });

  it('may name a number twice, one in a thousand; the last counts', async () => {
    const again = { ...RECORDS[0]!, navn: 'SIST AS' };
    expect(await importRecords([...RECORDS, again])).toMatchObject({ units: 2_000, duplicates: 1 });
    expect(await mirrored(NUMBERS[0]!)).toMatchObject({ name: 'SIST AS' });
    await expect(importRecords(RECORDS, RECORDS)).rejects.toThrow('give each file once');
    expect(await tables()).toEqual(inService);
  });

  it('of units that are dissolved are left out', async () => {
    const gone = { ...RECORDS[1]!, slettedato: '2026-01-01', respons_klasse: 'SlettetEnhet' };
    expect(await importRecords([RECORDS[0]!, gone])).toMatchObject({ units: 1, unreadable: 0 });
    expect(await mirrored(NUMBERS[1]!)).toBeUndefined();
  });
});

describe('a failed import leaves the former mirror in service and nothing beside it:', () => {
  const whole = JSON.stringify(RECORDS, null, 2);
  const refused: [string, () => Promise<string[]>, RegExp][] = [
    [
      'gzip cut off',
      async () => [await file(gzipSync(whole).subarray(0, 5_000))],
      /is cut off.*download the file again/,
    ],
    ['text cut off', async () => [await file(whole.slice(0, 50_000))], /without its final \]/],
    ['damaged', async () => [await file(whole.replace('"navn"', 'navn'))], /is damaged/],
    ['empty', async () => [await file(Buffer.alloc(0))], /is empty/],
    ['without a unit', async () => [await file('[]')], /no active unit/],
    ['second of two cut off', async () => [await file(whole), await file('[{')], /is cut off/],
    ['no such file', async () => [join(folder, 'none')], /cannot be read \(ENOENT\)/],
    ['a folder', async () => [folder], /is not a file/],
    [
      'too few units',
      async () => [await fileOf(RECORDS.slice(0, 89))],
      /hold 89 units, the mirror in service 100/,
    ],
    [
      'too few branches',
      () => Promise.all([fileOf(RECORDS), fileOf(BRANCHES.slice(1))]),
      /hold 2 branches, the mirror in service 3/,
    ],
  ];

  it.each(refused)('%s', async (_, files, why) => {
    await importRecords(RECORDS.slice(0, 100), BRANCHES);
    const [state, rows] = [await mirror(), await query('select * from register_units order by orgnr')];
    const attempt = importFiles(await files());
    await expect(attempt).rejects.toThrow(why);
    await expect(attempt).rejects.toBeInstanceOf(ImportRefused);
    expect(await mirror()).toEqual(state);
    expect(await query('select * from register_units order by orgnr')).toEqual(rows);
    // PostgreSQL drops the table and releases the lock when it notices that the connection is gone.
    await expect.poll(locks).toEqual([]);
    await expect.poll(tables).toEqual(inService);
  });

  it.each(['loading', 'indexing', 'publishing'])('interrupted while %s', async (moment) => {
    await importRecords(RECORDS.slice(0, 100));
    const interruption = new AbortController();
    const stopAt = (now: string) => void (now === moment && interruption.abort());
    const attempt = importFiles([await fileOf(RECORDS)], {
      signal: interruption.signal,
      onProgress: () => stopAt('loading'),
      onStep: stopAt,
    });
    await expect(attempt).rejects.toThrow('interrupted');
    // PostgreSQL drops the table and releases the lock when it notices that the connection is gone.
    await expect.poll(locks).toEqual([]);
    await expect.poll(tables).toEqual(inService);
    expect(await count()).toBe(100);
    expect(await importRecords(RECORDS)).toMatchObject({ units: 2_000 });
  });
});
