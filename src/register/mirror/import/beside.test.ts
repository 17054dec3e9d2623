import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { emptyMirror } from '../../../../test/mirrored-register.ts';
import { fullSubUnitRecord, recordOf, type RegisterRecord } from '../../../../test/register-records.ts';
import { createWorld } from '../../../../test/world.ts';
import { connect } from '../../../db/connect.ts';
import { fileSource } from './source.ts';
import { importRegister, type ImportOptions } from './import.ts';
import { findMirrored, mirrorUnits, rowsOf } from '../units.ts';
import { generatedOrgnr } from '../../../../test/generated-orgnr.ts';
import { generatedUnit } from '../../sandbox/generated.ts';

const world = await createWorld();
const { databaseUrl } = world;
const query: typeof world.query = (text, values) => world.query(text, values);
const service = connect({ url: databaseUrl, connections: 4, onIdleError: () => {} });
const folder = await mkdtemp(join(tmpdir(), 'kundebok-import-'));
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const UNITS = Array.from({ length: 500 }, (_, index) => generatedUnit(generatedOrgnr(index)));
const RECORDS = UNITS.map(recordOf);
const BRANCHES = ['311777777', '311777785', '311777793'].map(fullSubUnitRecord);
const [UNIT] = UNITS as [(typeof UNITS)[number]];

async function importRecords(records: readonly RegisterRecord[], options: Partial<ImportOptions> = {}) {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(path, JSON.stringify(records));
  return importRegister({ databaseUrl, sources: [fileSource(path)], ...options });
}

const renamed = (name: string) => RECORDS.map((record) => ({ ...record, navn: name }));

/** A transaction that has read the table, as a backup has, and stays open until it is ended. */
async function openReader() {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin; select 1 from register_units limit 1');
  return { end: () => client.end() };
}

beforeEach(async () => {
  await emptyMirror(world);
  await importRecords([...RECORDS, ...BRANCHES]);
});

it('look-ups on prepared statements go on over several imports, and none fails', async () => {
  const stop = new AbortController();
  const names = new Set<string | null | undefined>();

  async function lookUp(): Promise<void> {
    while (!stop.signal.aborted) {
      const row = await service.row(findMirrored, { orgnr: UNIT.orgnr });
      names.add(row?.name);
    }
  }
  async function keep(): Promise<void> {
    while (!stop.signal.aborted) {
      const units = rowsOf([{ ...UNIT, orgnr: '399999999' }], new Date().toISOString());
      await service.row(mirrorUnits, { units });
    }
  }

  const users = [lookUp(), lookUp(), lookUp(), keep()];
  try {
    for (const name of ['ÉN AS', 'TO AS', 'TRE AS']) await importRecords(renamed(name));
  } finally {
    stop.abort();
    await Promise.all(users);
  }
  expect([...names]).toEqual(expect.arrayContaining([UNIT.name, 'ÉN AS', 'TO AS']));
  expect(names).not.toContain(null);
  expect(await service.row(findMirrored, { orgnr: UNIT.orgnr })).toMatchObject({ name: 'TRE AS' });
  expect(await service.row(findMirrored, { orgnr: '399999999' })).toMatchObject({ name: UNIT.name });
});

it('an import waits for a long reader, lets look-ups go ahead meanwhile, and is published after it', async () => {
  const reader = await openReader();
  let step = '';
  const done = importRecords(renamed('NY AS'), { onStep: (now) => (step = now) });
  await expect.poll(() => step).toBe('publishing');
  // If the import waited in the queue for the table, each of these look-ups would wait behind it forever.
  for (let look = 0; look < 50; look++) {
    expect(await service.row(findMirrored, { orgnr: UNIT.orgnr })).toMatchObject({ name: UNIT.name });
  }
  await reader.end();
  await done;
  expect(await service.row(findMirrored, { orgnr: UNIT.orgnr })).toMatchObject({ name: 'NY AS' });
});

it('an import gives up on a reader that does not end, and changes nothing', async () => {
  const reader = await openReader();
  await expect(importRecords(renamed('NY AS'), { patienceMs: 300 })).rejects.toThrow(
    'has locked the table register_units',
  );
  await reader.end();
  expect(await service.row(findMirrored, { orgnr: UNIT.orgnr })).toMatchObject({ name: UNIT.name });
});

it('an import of units takes over what the feed does to branches until the last moment', async () => {
  const [changed, erased, untouched] = BRANCHES.map((branch) => branch.organisasjonsnummer);
  const reader = await openReader();
  let step = '';
  const done = importRecords(RECORDS, { onStep: (now) => (step = now) });
  await expect.poll(() => step).toBe('publishing');
  // The row keeps its time `as_of`: the import compares whole rows here, not their times.
  await query("update register_units set name = 'ENDRET' where orgnr = $1", [changed]);
  await query('delete from register_units where orgnr = $1', [erased]);
  await query(
    `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, is_branch, as_of)
     values ('311777807', 'NY', 'BEDR', '2026-01-01', 0, '00.000', true, now())`,
  );
  await reader.end();
  await done;
  const rows = await query('select orgnr, name from register_units where is_branch order by orgnr');
  expect(rows).toEqual([
    { orgnr: changed, name: 'ENDRET' },
    { orgnr: untouched, name: BRANCHES[2]!['navn'] },
    { orgnr: '311777807', name: 'NY' },
  ]);
});

it('an import refuses to run beside another one', async () => {
  const reader = await openReader();
  let step = '';
  const done = importRecords(RECORDS, { onStep: (now) => (step = now) });
  await expect.poll(() => step).toBe('publishing');
  await expect(importRecords(RECORDS)).rejects.toThrow('Another import is under way');
  await reader.end();
  await done;
});
