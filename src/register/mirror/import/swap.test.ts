import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { recordOf } from '../../../../test/register-records.ts';
import { createWorld } from '../../../../test/world.ts';
import { generatedOrgnr } from '../../../../test/generated-orgnr.ts';
import { generatedUnit } from '../../sandbox/generated.ts';
import { importRegister } from './import.ts';
import { fileSource } from './source.ts';

const world = await createWorld();
/** A role that every server has. */
const role = 'pg_monitor';
const folder = await mkdtemp(join(tmpdir(), 'kundebok-import-'));
afterAll(() => rm(folder, { recursive: true }));

/** All that a migration can have given a table, as PostgreSQL words it. */
async function propertiesOf(table: string): Promise<unknown[]> {
  return world.query(
    `select 'constraint' as what, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where conrelid = $1::regclass
     union all select 'index', relname, pg_get_indexdef(indexrelid)
       from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = $1::regclass
     union all select 'grant', relname, relacl::text from pg_class where oid = $1::regclass
     union all select 'column', attname, concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attacl::text,
         (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = attrelid and adnum = attnum),
         col_description(attrelid, attnum))
       from pg_attribute where attrelid = $1::regclass and attnum > 0
     order by 1, 2`,
    [table],
  );
}

test('an import leaves the table every index, check, grant and privilege that a migration gave it', async () => {
  await world.query(
    `alter table register_units add column seat text not null default 'ukjent' check (seat <> '');
     comment on column register_units.seat is 'where it is';
     alter table register_units add constraint register_units_order unique (name, orgnr) deferrable;
     create index register_units_by_form on register_units (org_form) where deleted_on is null;
     create unique index "Register Units ""odd""" on register_units (lower(orgnr));
     grant select, insert on register_units to ${role} with grant option;
     grant update (name) on register_units to ${role};
     grant select on register_units to public`,
  );
  const before = await propertiesOf('register_units');
  const units = Array.from({ length: 20 }, (_, index) => generatedUnit(generatedOrgnr(index)));
  const path = join(folder, 'units.json');
  await writeFile(path, JSON.stringify(units.map(recordOf)));
  for (let time = 0; time < 2; time += 1) {
    await importRegister({ databaseUrl: world.databaseUrl, sources: [fileSource(path)] });
    expect(await propertiesOf('register_units')).toEqual(before);
  }
  expect(await world.query('select distinct seat from register_units')).toEqual([{ seat: 'ukjent' }]);
});
