import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { createMirroredRegister, unit } from '../../../../test/mirrored-register.ts';
import { deletedRecordOf, recordOf } from '../../../../test/register-records.ts';
import { companiesFollow } from '../../../companies/follow-register.ts';
import { fileSource } from './source.ts';
import { importRegister } from './import.ts';
import type { Unit } from '../../register.ts';

const { world, service, now, sync, mirror, feed, mirrored, announce, companyOf } =
  await createMirroredRegister();

const folder = await mkdtemp(join(tmpdir(), 'kundebok-import-'));
afterAll(() => rm(folder, { recursive: true }));

const HOUR = 3_600_000;

/** Imports a file of these units that was made so many hours ago. */
async function importOf(units: readonly Unit[], hoursAgo: number): Promise<void> {
  const path = join(folder, `${crypto.randomUUID()}.json.gz`);
  const made = new Date(Date.now() - hoursAgo * HOUR);
  await writeFile(path, gzipSync(JSON.stringify(units.map(recordOf), null, 2)));
  await utimes(path, made, made);
  await importRegister({ databaseUrl: world.databaseUrl, sources: [fileSource(path)] });
}

test('a unit that was removed on legal grounds is not brought back by a file made before the removal', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  const company = await companyOf(gone);
  announce(gone.orgnr, 'Fjernet');
  await sync();
  await importOf([gone, unit()], 10);
  expect(await mirrored(gone.orgnr)).toBeUndefined();
  await companiesFollow.refreshAll(now.options.db);
  expect(await company.read()).toMatchObject({ name: gone.orgnr, email_address: null });
});

/** A company whose unit the feed removed on legal grounds two days ago; the stand-in still has the unit. */
async function companyOfRemoved(facts: Unit) {
  const company = await companyOf(facts);
  await world.query("update register_feeds set since = now() - interval '50 hours'");
  const dato = new Date(Date.now() - 48 * HOUR).toISOString();
  now.server.announce({ dato, organisasjonsnummer: facts.orgnr, endringstype: 'Fjernet' });
  await sync();
  await world.query("update register_removed set removed_at = removed_at - interval '48 hours'");
  return company;
}

test('a unit that was removed is not brought back by a file whose date is that of its copying', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  const company = await companyOfRemoved(gone);
  await importOf([gone, unit()], 0);
  await companiesFollow.refreshAll(now.options.db);
  expect(await mirrored(gone.orgnr)).toBeUndefined();
  expect(await company.read()).toMatchObject({ name: gone.orgnr, email_address: null });
});

test('a unit that the feed names again after its removal stays, and follows the file', async () => {
  const back = unit();
  const company = await companyOfRemoved(back);
  announce(back.orgnr, 'Ny');
  await sync();
  await world.query("update register_units set as_of = as_of - interval '36 hours'");
  await importOf([{ ...back, name: 'NYTT NAVN AS' }, unit()], 0);
  await companiesFollow.refreshAll(now.options.db);
  expect(await company.read()).toMatchObject({ name: 'NYTT NAVN AS', email_address: back.email_address });
});

test('a unit that came back while there was no mirror is looked up after the import', async () => {
  const back = unit();
  const company = await companyOfRemoved(back);
  await world.query("update register_removed set removed_at = removed_at - interval '8 days'");
  await world.query('delete from register_mirror; delete from register_feeds');
  await importOf([back, unit()], 0);
  await sync();
  expect(await mirrored(back.orgnr)).toMatchObject({ name: back.name });
  expect(await company.read()).toMatchObject({ name: back.name, email_address: back.email_address });
});

/** A company from before there was a mirror. The restore of a backup leaves this state, too. */
async function companyBeforeMirror(facts: Unit) {
  const company = await companyOf(facts);
  await world.query('delete from register_units; delete from register_mirror; delete from register_feeds');
  return company;
}

test('a unit that was removed before the mirror began is looked up after the import, and erased', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  const company = await companyBeforeMirror(gone);
  now.server.remove(gone.orgnr, '2026-11-20');
  await importOf([unit()], 1);
  await companiesFollow.refreshAll(now.options.db);
  await sync();
  expect(await company.read()).toMatchObject({ name: gone.orgnr, email_address: null });
});

test('a unit that was dissolved before the mirror began is looked up, too', async () => {
  const dissolved = unit();
  const company = await companyBeforeMirror(dissolved);
  now.server.hold(deletedRecordOf({ ...dissolved, on: '2026-11-20' }));
  await importOf([unit()], 1);
  await sync();
  expect(await company.dissolvedOn()).toBe('2026-11-20');
});

test('a number that the files lack is looked up once, and does not count as unreadable', async () => {
  const missing = unit();
  const company = await companyBeforeMirror(missing);
  now.server.misbehave(({ response }) => void response.writeHead(404).end(), { path: missing.orgnr });
  const lookUps = () => now.server.requests.filter(({ path }) => path === `/enheter/${missing.orgnr}`).length;
  const before = lookUps();
  for (let time = 0; time < 2; time += 1) {
    await importOf([unit()], 1);
    await companiesFollow.refreshAll(now.options.db);
    expect((await service.register.status()).facts).toMatchObject({ numbers_set_aside: 0, set_aside: [] });
    await sync();
    expect(lookUps() - before).toBe(1);
  }
  expect(await company.read()).toMatchObject({ name: missing.name });
});

test('a number that the files lack is answered from the mirror again once a look-up has found it', async () => {
  const found = unit();
  await companyBeforeMirror(found);
  await importOf([unit()], 1);
  await sync();
  now.server.requests.length = 0;
  const { client } = await world.workspace(service);
  expect((await client.post('/companies', { orgnr: found.orgnr })).status).toBe(201);
  expect(now.server.requests).toEqual([]);
});

test('after an import the feed is read by date, so that a feed that has started over is followed again', async () => {
  const read = new Date(Date.now() - 100 * HOUR);
  await world.query('update register_feeds set last_id = 999999999, last_at = $1', [read]);
  await importOf([unit()], 1);
  expect(await feed()).toMatchObject({ last_id: null, last_at: null, since: read });
});

test('an import into a mirror that was behind skips no entry of the feed', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  const company = await companyOf(gone);
  await world.query("update register_mirror set current_at = now() - interval '390 hours'");
  await world.query("update register_feeds set since = now() - interval '400 hours'");
  announce(gone.orgnr, 'Fjernet');
  const before = await feed();
  await importOf([unit()], 1);
  expect((await feed()).since).toEqual(before.since);
  await sync();
  expect(await company.read()).toMatchObject({ name: gone.orgnr, email_address: null });
});

test('an import into a current mirror reads the last day of the feed again', async () => {
  await world.query('update register_feeds set last_id = 17, last_at = now()');
  await importOf([unit()], 10);
  const { last_id: after, since } = await feed();
  expect(after).toBeNull();
  expect(Date.now() - since.getTime()).toBeGreaterThan(33 * HOUR);
});

test('a file from the future counts as of now', async () => {
  await importOf([unit()], -24 * 365);
  expect((await mirror()).current_at.getTime()).toBeLessThanOrEqual(Date.now());
});

test.for(['Fjernet', 'Sletting', 'Endring'] as const)(
  'a file that was downloaded after the feed said %s, but made before, changes nothing of the unit',
  async (said) => {
    const former = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
    const company = await companyOf(former);
    if (said === 'Fjernet') now.server.remove(former.orgnr, '2026-11-20');
    if (said === 'Sletting') now.server.hold(deletedRecordOf({ ...former, on: '2026-11-20' }));
    if (said === 'Endring') now.server.hold(recordOf({ ...former, name: 'OLA NORDMANN' }));
    announce(former.orgnr, said);
    await sync();
    const [mirroredBefore, before] = [await mirrored(former.orgnr), await company.read()];
    await importOf([former, unit()], 0);
    await companiesFollow.refreshAll(now.options.db);
    expect(await mirrored(former.orgnr)).toEqual(mirroredBefore);
    expect(await company.read()).toEqual(before);
    const { client } = await world.workspace(service);
    const { status } = await client.post('/companies', { orgnr: former.orgnr });
    expect(status).toBe(said === 'Endring' ? 201 : 422);
  },
);

test('a feed without entries is no warning after an import until the next sync, even if one ended meanwhile', async () => {
  await world.query("update register_mirror set synced_at = now() + interval '1 minute'");
  await importOf([unit()], 1);
  expect((await service.register.status()).facts['warnings']).toEqual([]);
});
