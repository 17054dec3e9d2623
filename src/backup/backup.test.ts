import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { keepBackups } from '../../test/backups.ts';
import { openClient, runSql } from '../../test/database.ts';
import { readAllRows, readSchema } from '../../test/rows.ts';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { makeBackup } from './make.ts';

endWithFile();
const world = await createWorld();
const { folder, backup, restore, furnish } = await keepBackups(world);

const { signal } = new AbortController();
const UNIT = `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, is_branch, as_of)
  values ('923609016', 'EQUINOR ASA', 'ASA', '1995-03-12', 1, '06.100', false, now())`;
/** Tables that the migrations of the restored database fill themselves. */
const OWN = ['schema_migrations'];

function showBinary(url: string, form: string): Promise<void> {
  return runSql(url, `alter database ${new URL(url).pathname.slice(1)} set bytea_output = '${form}'`);
}

/** Whether the role of the tests is one. */
async function isSuperuser(url: string): Promise<boolean> {
  await using client = await openClient(url);
  return (
    (await client.query('select from pg_roles where rolname = current_user and rolsuper')).rowCount === 1
  );
}

describe('a backup', () => {
  test('brings back every row, index, key and trigger, without the mirror of the register', async () => {
    const service = await world.start();
    await furnish(service);
    await service.end();
    await world.query("insert into register_removed values ('999999999', now())");
    await world.query(`${UNIT}; insert into register_mirror (imported_at, current_at) values (now(), now())`);
    const { path, rows, tables } = await backup();
    const { databaseUrl, ...restored } = await restore(path);
    expect(restored).toMatchObject({ rows, tables, left_out: [] });
    expect(await readAllRows(databaseUrl, OWN)).toEqual({
      ...(await readAllRows(world.databaseUrl, OWN)),
      register_mirror: [],
      register_units: [],
    });
    // What is restored is distributed afterwards.
    if (!inject('postgres').isCitus)
      expect(await readSchema(databaseUrl)).toEqual(await readSchema(world.databaseUrl));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('includes the mirror on request', async () => {
    const { path } = await backup({ withRegister: true });
    const { databaseUrl } = await restore(path);
    expect(await readAllRows(databaseUrl, OWN)).toEqual(await readAllRows(world.databaseUrl, OWN));
    await world.query('delete from register_units; delete from register_mirror');
  });

  test('fills a database that has the schema already, however rows differ in size', async () => {
    const { id } = await world.workspace();
    await world.query(
      `insert into contacts (tenant_id, id, name, notes)
       select $1, gen_random_uuid(), 'Kari', repeat('x', case when n < 500 then 480 else 0 end) from generate_series(1, 5000) as n`,
      [id],
    );
    // The short rows would now fit into what is left free in pages of long ones.
    await world.query("delete from contacts where tenant_id = $1 and id::text ~ '[0-4]$'", [id]);
    await world.query('vacuum contacts');
    const { path, rows } = await backup();
    const { databaseUrl, ...restored } = await restore(path, await ownDatabase());
    expect(restored).toMatchObject({ rows, left_out: [] });
    const held = await readAllRows(databaseUrl, OWN);
    expect(held['contacts']).toEqual((await readAllRows(world.databaseUrl))['contacts']);
  });

  test('lets keys work as before, gives no number out twice, and ends cursors from after it', async () => {
    const service = await world.start();
    const { workspace, company } = await furnish(service);
    const { client } = workspace;
    const cursorOf = async () => (await client.get('/changes')).body.page.next_cursor as string;
    const before = await cursorOf();
    const { path } = await backup();
    await workspace.contact();
    const after = await cursorOf();
    const { databaseUrl } = await restore(path);
    const server = await world.start({ url: databaseUrl });
    const again = server.client(client.token);
    expect((await again.get(`/companies/${company.orgnr}`)).body).toEqual(
      (await client.get(`/companies/${company.orgnr}`)).body,
    );
    const notes = (await again.get('/notes')).body.data as { id: number }[];
    const note = await again.post(`/companies/${company.orgnr}/notes`, { text: 'ny' });
    expect(note.body.data.id).toBeGreaterThan(notes.at(-1)!.id);
    // The restored database gives out the numbers that the other had given after the backup.
    for (let count = 0; count < 3; count++) await again.post('/contacts', { name: 'Ola' });
    const since = await again.get(`/changes?cursor=${before}`);
    expect([since.status, since.body.data.length]).toEqual([200, 4]);
    const expired = await again.get(`/changes?cursor=${after}`);
    expect([expired.status, expired.body.code]).toEqual([410, 'cursor_expired']);
    await Promise.all([server.end(), service.end()]);
  });

  test('ends sessions and knows nothing of earlier backups', async () => {
    const workspace = await world.workspace();
    const browser = await workspace.signIn();
    expect((await browser.get('/session')).status).toBe(200);
    await world.query("insert into backup_state (file) values ('a')");
    const { path } = await backup();
    const { databaseUrl } = await restore(path);
    expect((await readAllRows(databaseUrl))['backup_state']).toEqual([]);
    const { sessions } = await readAllRows(databaseUrl);
    expect(sessions).toEqual([]);
    await world.query('delete from backup_state');
  });

  test('can be restored whatever form of binary values either database shows', async () => {
    const service = await world.start();
    await furnish(service);
    await service.end();
    await showBinary(world.databaseUrl, 'escape');
    const { path, rows } = await backup();
    expect(await restore(path)).toMatchObject({ rows });
    await showBinary(world.databaseUrl, 'hex');
    const url = await ownDatabase({ empty: true });
    await showBinary(url, 'escape');
    expect(await restore((await backup()).path, url)).toMatchObject({ rows });
  });

  test('names tables that are not of this service, and restores the rest', async () => {
    await world.query(`create table own_report (id integer);
      create table own_parts (id integer) partition by range (id);
      create table own_part partition of own_parts default`);
    const { path } = await backup();
    await world.query('drop table own_report, own_parts');
    expect(await restore(path)).toMatchObject({ left_out: ['own_report'] });
  });

  test('has every table of the service, whichever role owns it, and fails where it may not read one', async ({
    skip,
  }) => {
    const url = await ownDatabase();
    const { tables } = await backup({ url });
    // As after an upgrade by another role: all tables but one have another owner than that one.
    await runSql(url, 'alter table schema_migrations owner to pg_database_owner');
    expect(await backup({ url })).toMatchObject({ tables });
    await runSql(
      url,
      'create table invoices (id integer); alter table schema_migrations owner to current_user',
    );
    await runSql(url, 'alter table invoices owner to pg_database_owner');
    expect(await backup({ url })).toMatchObject({ tables });
    skip(await isSuperuser(url), 'a superuser may read every table');
    await runSql(url, 'revoke select on changes from current_user');
    await expect(backup({ url })).rejects.toThrow('permission denied for table changes');
  });

  test('does not replace a file, and needs a schema', async () => {
    const { path } = await backup();
    const again = makeBackup({ databaseUrl: world.databaseUrl, path, release: '1', signal });
    await expect(again).rejects.toThrow(`${path} already exists`);
    const url = await ownDatabase({ empty: true });
    await expect(backup({ url })).rejects.toThrow('there is nothing to back up');
    const astray = join(folder, 'none', 'x.backup');
    await expect(
      makeBackup({ databaseUrl: world.databaseUrl, path: astray, release: '1', signal }),
    ).rejects.toThrow(`${astray} cannot be written: its folder does not exist`);
  });
});
