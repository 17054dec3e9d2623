import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../src/db/migrate.ts';
import { openClient } from './database.ts';
import { endWithFile, ownDatabase, ROOT } from './service.ts';

endWithFile();

test('companies, contacts, tasks and offers of an earlier release are found by their words', async () => {
  const url = await ownDatabase({ empty: true });
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table schema_migrations (version integer primary key, name text not null)');
    await client.query(await readFile(`${ROOT}migrations/0001_workspaces_and_crm.sql`, 'utf8'));
    await client.query("insert into schema_migrations values (1, '0001_workspaces_and_crm.sql')");
    const id = crypto.randomUUID();
    await client.query(`
      insert into workspaces (id, name) values ('${id}', 'Prøve AS');
      insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
        values ('${id}', '${id}', '923609016', 'Café Ås, Café AS', 'lead', 'api', 'AS', '2020-01-01', 0, '00.000');
      insert into contacts (tenant_id, id, name, notes) values ('${id}', '${id}', 'José José', ''), ('${id}', gen_random_uuid(), '!', '');
      insert into contact_points (tenant_id, contact_id, type, label, value) values
        ('${id}', '${id}', 'email', '', 'Jose@Example.no'), ('${id}', '${id}', 'mobile', '', '+47 900 00 000'),
        ('${id}', '${id}', 'telephone', '', 'ukjent'), ('${id}', '${id}', 'other', 'x', 'y');`);
    await client.query(`
      insert into users (id, email, first_name, last_name) values ('${id}', 'kari@example.no', 'Kari', 'Nordmann');
      insert into memberships (tenant_id, user_id, role) values ('${id}', '${id}', 'owner');
      insert into tasks (tenant_id, id, title, due_date, has_time_specified, user_id)
        values ('${id}', '${id}', 'Ring José, ring', now(), true, '${id}');
      insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue, recurring_frequency, weight)
        values ('${id}', '${id}', 'Avtale', '${id}', '${id}', 'new', 0, 0, 'monthly', 50);`);
    await migrate(url);
    const words = async (table: string) =>
      (await client.query(`select word from ${table} order by word`)).rows.map(({ word }) => word);
    expect(await words('company_words')).toEqual(['923609016', 'as', 'cafe', 'ås']);
    expect(await words('contact_words')).toEqual(['90000000', 'jose', 'jose@example.no']);
    expect(await words('task_words')).toEqual(['jose', 'ring']);
    expect(await words('offer_words')).toEqual(['avtale']);
  } finally {
    await client.end();
  }
});

test('a database that is not in UTF-8 is refused before anything is changed', async () => {
  const options = "encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C' template template0";
  const url = await ownDatabase({ empty: true, options });
  await expect(migrate(url)).rejects.toThrow('the encoding of the database is SQL_ASCII: use one in UTF8');
  await using client = await openClient(url);
  expect((await client.query("select to_regclass('schema_migrations') as made")).rows).toEqual([
    { made: null },
  ]);
});
