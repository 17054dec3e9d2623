import { expect, test } from 'vitest';
import { createMirroredRegister, unit } from '../../../test/mirrored-register.ts';
import { failing } from '../../../test/register-misbehaviour.ts';
import { deletedRecordOf, recordOf } from '../../../test/register-records.ts';
import { freshOrgnr } from '../../../test/workspace.ts';
import { valuesOf } from '../../db/statement.ts';
import type { Unit } from '../register.ts';
import { findByWord } from './search.ts';

const { world, service, now, sync, announce, companyOf } = await createMirroredRegister();

/** Puts units into the mirror: the register has them, its feed names them, and a sync runs. */
async function mirror(...units: Unit[]): Promise<void> {
  now.server.hold(...units.map(recordOf));
  for (const { orgnr, org_form } of units) {
    announce(orgnr, 'Ny', org_form === 'BEDR' ? 'underenheter' : 'enheter');
  }
  await sync();
}

const named = (name: string, more: Partial<Unit> = {}) => unit({ name, ...more });

async function namesFound(q: string, limit = 20): Promise<string[]> {
  return (await now.register.search(q, limit)).map(({ name }) => name);
}

test('finds units by any words of the name or their beginnings, in any order, without asking the register', async () => {
  const long = 'STIFTELSEN FOR DE ELDSTE AV ALLE ÅRETS CAFÉER I BRØNNØYSUND';
  await mirror(named('KONGSBERG GRUPPEN ASA'), named('KONGSVINGER BRYGGERI AS'), named(long));
  const sent = now.server.requests.length;
  expect(await namesFound('asa kong')).toEqual(['KONGSBERG GRUPPEN ASA']);
  expect(await namesFound('Kong')).toEqual(['KONGSBERG GRUPPEN ASA', 'KONGSVINGER BRYGGERI AS']);
  for (const word of long.split(' ')) expect(await namesFound(word)).toEqual([long]);
  for (const q of ['cafeer', 'brønnøysund caf', 'brø stiftelsen årets', 'de eldste av', 'i alle']) {
    expect([q, await namesFound(q)]).toEqual([q, [long]]);
  }
  for (const q of ['bronnoysund', 'arets', 'ongsberg', '%', '_ong', "'", ':*', '\\', '']) {
    expect([q, await namesFound(q)]).toEqual([q, []]);
  }
  expect(now.server.requests).toHaveLength(sent);
});

test('finds units by the first digits of the number, and numbers in names', async () => {
  const one = named('EN AS');
  const other = named(`TO ${one.orgnr.slice(0, 6)} AS`);
  await mirror(one, other);
  expect(await namesFound(one.orgnr)).toEqual(['EN AS']);
  expect(await namesFound(` ${one.orgnr.slice(0, 3)} ${one.orgnr.slice(3)}`)).toEqual(['EN AS']);
  expect((await namesFound(one.orgnr.slice(0, 6))).at(-1)).toBe(other.name);
  expect(await namesFound('999')).toEqual([]);
});

test('names that begin with the text come first, branches after main units, and no more than limit', async () => {
  const branch = { org_form: 'BEDR' };
  await mirror(
    named('BUTIKKEN REMA 1000 AS'),
    named('REMA 1000 ALNA', branch),
    named('REMA 1000 NORGE AS'),
    named('1000 REMA AS'),
    named('REMA 1000 VEST', branch),
  );
  const all = [
    'REMA 1000 NORGE AS',
    'REMA 1000 ALNA',
    'REMA 1000 VEST',
    '1000 REMA AS',
    'BUTIKKEN REMA 1000 AS',
  ];
  expect(await namesFound('rema 1000')).toEqual(all);
  expect(await namesFound('rema 1000', 2)).toEqual(all.slice(0, 2));
});

test('dissolved and removed units are not found, and a new name is found in place of the old', async () => {
  const [gone, erased, renamed] = [
    named('GAMMEL GARASJE AS'),
    named('GAMMEL GARDIN AS'),
    named('GAMMEL GATE AS'),
  ];
  await mirror(gone, erased, renamed);
  expect(await namesFound('gammel ga')).toHaveLength(3);
  now.server.hold(
    deletedRecordOf({ ...gone, on: '2026-11-01' }),
    recordOf({ ...renamed, name: 'NY GATE AS' }),
  );
  now.server.remove(erased.orgnr, '2026-11-02');
  announce(gone.orgnr, 'Sletting');
  announce(erased.orgnr, 'Fjernet');
  announce(renamed.orgnr, 'Endring');
  await sync();
  expect(await namesFound('gammel')).toEqual([]);
  expect(await namesFound('ga')).toEqual(['NY GATE AS']);
  expect(await namesFound(gone.orgnr)).toEqual([]);
});

test('a search is answered by the mirror while the register is unavailable; it has looked-up units, too', async () => {
  const company = await companyOf(named('OPPSLÅTT PRØVE AS'));
  now.server.misbehave(failing(503));
  const { body } = await company.client.get('/register?q=oppsl%C3%A5tt');
  expect(body.data).toMatchObject([{ name: 'OPPSLÅTT PRØVE AS', in_workspace: 'company' }]);
});

test('without a mirror the register itself is searched; 503 with its Retry-After while it is unavailable', async () => {
  await world.query('delete from register_mirror');
  const { client } = await world.workspace(service);
  now.server.hold(recordOf(named('ALLEREDE I REGISTERET AS')));
  expect((await client.get('/register?q=allerede')).body.data).toMatchObject([
    { name: 'ALLEREDE I REGISTERET AS', in_workspace: 'none' },
  ]);
  now.server.misbehave(failing(503, { 'retry-after': '9' }));
  const { status, body, headers } = await client.get('/register?q=annet');
  expect([status, body.code, headers['retry-after']]).toEqual([503, 'register_unavailable', '9']);
});

test('a dissolved unit shows what the mirror had of it', async () => {
  const known = named('OPPLØST PRØVE AS');
  await mirror(known);
  now.server.hold(deletedRecordOf({ ...known, on: '2026-11-03' }));
  announce(known.orgnr, 'Sletting');
  await sync();
  const { client } = await world.workspace(service);
  const { body } = await client.get(`/register/${known.orgnr}`);
  expect(body.data).toMatchObject({ ...known, dissolved_on: '2026-11-03', in_workspace: 'none' });
  now.server.misbehave(failing(503));
  expect((await client.get(`/register/${freshOrgnr()}`)).status).toBe(503);
});

test('each word is read from its index, and never the whole mirror', async () => {
  await world.query(
    `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, is_branch, as_of, search)
     select n::text, name, 'AS', '2020-01-01', 0, '00.000', n % 3 = 0, now(), lower(name)
     from (select n, format('PLASS%s VAREN%s FIRMA%s AS', n % 97, n % 89, n % 7) as name
           from generate_series(910000000, 910020000) as n) as units`,
  );
  await world.query('vacuum analyze register_units');
  const start = { start: 'as', tail: "'as':*", patterns: ['% as%'], read: 20, limit: 20 };
  const plan = await world.query(`explain (format json) ${findByWord.text}`, valuesOf(findByWord, start));
  const text = JSON.stringify(plan);
  expect(text).not.toContain('Seq Scan');
  expect(text).toContain('register_units_word_4');
  expect(text).toContain('register_branches_word_4');
  expect(await namesFound('as plass1 varen2', 20)).not.toEqual([]);
});
