import { readdir, readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../src/db/migrate.ts';
import { endWithFile, ownDatabase, ROOT } from './service.ts';

endWithFile();

const LAST_BEFORE = 14;

const offer = (number: number) => `00000000-0000-7000-8000-00000000000${number}`;

test('offers of an earlier release get the time of their status from the change log, or else from their row', async () => {
  const url = await ownDatabase({ empty: true });
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table schema_migrations (version integer primary key, name text not null)');
    for (const name of (await readdir(`${ROOT}migrations`)).toSorted()) {
      const version = Number.parseInt(name, 10);
      if (version > LAST_BEFORE) continue;
      await client.query(await readFile(`${ROOT}migrations/${name}`, 'utf8'));
      await client.query('insert into schema_migrations values ($1, $2)', [version, name]);
    }
    const id = crypto.randomUUID();
    await client.query(`
      insert into workspaces (id, name) values ('${id}', 'Prøve AS');
      insert into users (id, email, first_name, last_name) values ('${id}', 'a@example.no', 'A', 'B');
      insert into memberships (tenant_id, user_id, role) values ('${id}', '${id}', 'owner');
      insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees, nace_primary)
        values ('${id}', '${id}', '923609016', 'Ås AS', 'lead', 'api', 'AS', '2020-01-01', 0, '00.000');`);
    const row = (number: number, status: string) => `
      ('${id}', '${offer(number)}', 'Avtale', '${id}', '${id}', '${status}', 0, 0, 'monthly', 50, '2026-01-01', '2026-03-01')`;
    await client.query(`
      insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
        recurring_frequency, weight, created_at, updated_at)
      values ${[row(1, 'sent'), row(2, 'sent'), row(3, 'new'), row(4, 'sent'), row(5, 'new')].join(',')};
      insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind, at) values
        ('${id}', 'offer', '${offer(1)}', 'created', '{status}', '{"status": [null, "new"]}', 'command', '2026-01-01'),
        ('${id}', 'offer', '${offer(1)}', 'updated', '{status}', '{"status": ["new", "sent"]}', 'command', '2026-02-01'),
        ('${id}', 'offer', '${offer(1)}', 'updated', '{title}', '{}', 'command', '2026-03-01'),
        ('${id}', 'offer', '${offer(4)}', 'updated', '{status}', '{"status": ["new", "sent"]}', 'command', '2026-02-02');
      with gone as (delete from offers where id in ('${offer(4)}', '${offer(5)}') returning *)
        insert into deleted_rows (tenant_id, resource, id, "row")
        select tenant_id, 'offer', id::text, to_jsonb(gone) from gone;`);

    await migrate(url);

    const { rows } = await client.query(`
      select right(id::text, 1) as number, (status_since at time zone 'UTC')::date::text as since from offers
      union all
      select right(id, 1), left("row" ->> 'status_since', 10) from deleted_rows order by number`);
    expect(rows.map(({ since }) => since)).toEqual([
      '2026-02-01',
      '2026-03-01',
      '2026-01-01',
      '2026-02-02',
      '2026-01-01',
    ]);
  } finally {
    await client.end();
  }
});
