import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { endWithFile, ownDatabase, ROOT } from '../../../test/service.ts';
import { migrate } from '../../db/migrate.ts';

endWithFile();

test('a copy that an earlier release made is followed on as a mirror', async () => {
  const url = await ownDatabase({ empty: true });
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table schema_migrations (version integer primary key, name text not null)');
    for (const [index, name] of ['0001_workspaces_and_crm', '0002_register'].entries()) {
      await client.query(await readFile(`${ROOT}migrations/${name}.sql`, 'utf8'));
      await client.query('insert into schema_migrations values ($1, $2)', [index + 1, `${name}.sql`]);
    }
    await client.query(
      `insert into register_copy (imported_at, current_at, units_after, units_since, branches_since, last_error)
       values ('2026-11-01T00:00Z', '2026-11-20T00:00Z', 17, '2026-10-31Z', '2026-10-30Z', 'out of reach')`,
    );
    await migrate(url);
    const mirror = await client.query('select imported_at, current_at, last_error from register_mirror');
    expect(mirror.rows).toEqual([
      { imported_at: new Date('2026-11-01'), current_at: new Date('2026-11-20'), last_error: 'out of reach' },
    ]);
    const feeds = await client.query('select kind, last_id, last_at from register_feeds order by kind');
    expect(feeds.rows).toEqual([
      { kind: 'branch', last_id: null, last_at: null },
      { kind: 'unit', last_id: '17', last_at: null },
    ]);
  } finally {
    await client.end();
  }
});
