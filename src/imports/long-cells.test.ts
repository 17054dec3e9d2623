import { expect, test } from 'vitest';
import { check, importFile } from '../../test/import-file.ts';
import { holdRow } from '../../test/locks.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

test('no content of a cell blocks the service', async () => {
  const browser = await (await world.workspace()).signIn();
  const size = 200_000;
  const gaps = `a${' '.repeat(size)}b`;
  const rows = [['Navn'], [gaps]];
  expect((await check(browser, 'contact', rows))[0].reasons).toEqual([{ field: 'name', code: 'too_long' }]);
  const other = [
    ['Navn', 'Annet'],
    ['Kari', `a:${' '.repeat(size)}\u2028b`],
  ];
  expect(await check(browser, 'contact', other)).toHaveLength(1);
  const dots = [['x'], [`a@${'.'.repeat(size)}@`]];
  const guessed = await browser.post('/import-guesses', { resource: 'contact', rows: dots });
  expect(guessed.body.data.columns).toEqual([null]);
});

test('an import takes few advisory locks, however many addresses it has', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = await workspace.contact();
  const lock = 'select from contacts where tenant_id = $1 and id = $2 for update';
  const held = await holdRow(world.databaseUrl, lock, [workspace.id, id]);
  const addresses = Array.from({ length: 20_000 }, (_, index) => `${index}@b`);
  const importing = importFile(browser, 'contact', [
    ['ID', 'Navn', 'E-post'],
    [id, 'Kari', ''],
    ['', 'Ola', addresses.join('\n')],
  ]);
  await held.awaited();
  const [locks] = await world.query(
    `select count(*)::int as names from pg_locks join pg_database on pg_database.oid = database
     where locktype = 'advisory' and datname = current_database()`,
  );
  expect(locks.names).toBeLessThanOrEqual(1_024);
  await held.commit();
  const { rows } = await importing;
  expect(rows).toMatchObject([{ outcome: 'updated' }, { reasons: [{ field: null, code: 'limit' }] }]);
});

test('a row that adds no details changes a contact that has more of them than the limit', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { id } = await workspace.contact();
  await world.query(
    `with counted as (update contacts set point_count = 1001 where id = $1 returning tenant_id, id)
     insert into contact_points (tenant_id, contact_id, type, label, value)
     select tenant_id, id, 'mobile', '', n::text from counted, generate_series(90000000, 90001000) n`,
    [id],
  );
  const file = (cells: string[]) => check(browser, 'contact', [['ID', 'Navn', 'Mobil'], cells]);
  expect(await file([id, 'Kari', '90000000'])).toMatchObject([{ outcome: 'updated' }]);
  expect(await file([id, 'Kari', '90002000'])).toMatchObject([
    { outcome: 'refused', reasons: [{ field: null, code: 'limit' }] },
  ]);
});
