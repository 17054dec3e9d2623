import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { endWithFile, ownDatabase, ROOT } from '../../../test/service.ts';
import { searchText } from '../search-text.ts';
import { migrate } from '../../db/migrate.ts';

endWithFile();

const NAMES = [
  'CAFÉ MÜLLER & SØNN, AVD. ÅS',
  'ÆRØ  "ÅSE" \\ 100% A/S',
  'Å Å\u030A A\u030A Ǻ ẤǞ',
  '7-ELEVEN',
  '\u{1F600}.',
];

test('a copy of the register that an earlier release made is kept current as a mirror', async () => {
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
       values ('2026-11-01T00:00Z', '2026-11-20T00:00Z', 17, '2026-10-31Z', '2026-10-30Z', 'unavailable')`,
    );
    await client.query(
      `insert into register_units (orgnr, name, org_form, registered_at, employees, nace_primary, is_branch, as_of)
       select (310000000 + n)::text, name, 'AS', '2020-01-01', 0, '00.000', false, now()
       from unnest($1::text[]) with ordinality as names (name, n)`,
      [NAMES],
    );
    await migrate(url);
    const units = await client.query('select name, search from register_units order by orgnr');
    expect(units.rows).toEqual(NAMES.map((name) => ({ name, search: searchText(name) })));
    const mirror = await client.query('select imported_at, current_at, last_error from register_mirror');
    expect(mirror.rows).toEqual([
      { imported_at: new Date('2026-11-01'), current_at: new Date('2026-11-20'), last_error: 'unavailable' },
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
