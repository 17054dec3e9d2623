import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { createMirroredRegister, unit } from '../../../../test/mirrored-register.ts';
import { recordOf } from '../../../../test/register-records.ts';
import { companiesFollow } from '../../../companies/follow-register.ts';
import { fileSource } from './source.ts';
import { importRegister } from './import.ts';
import type { Unit } from '../../register.ts';

const { world, now, sync, mirror, feed, mirrored, announce, companyOf } = await createMirroredRegister();

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

test('a unit that was removed on legal grounds is not brought back by a file made before', async () => {
  const gone = unit({ org_form: 'ENK', name: 'KARI NORDMANN' });
  const company = await companyOf(gone);
  announce(gone.orgnr, 'Fjernet');
  await sync();
  await importOf([gone, unit()], 10);
  expect(await mirrored(gone.orgnr)).toBeUndefined();
  await companiesFollow.refreshAll(now.options.db);
  expect(await company.read()).toMatchObject({ name: gone.orgnr, email_address: null });
});

test('an import is followed by date, so that a feed that has started over is followed again', async () => {
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
