import type { ClientBase } from 'pg';

/**
 * What is dropped, in the order in which it can be built again: foreign keys would require loading tables in order;
 * keys and indexes are built much faster once the rows are loaded.
 */
const DEPENDENTS = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create, 1 as step
  from pg_index where indrelid = any($1::regclass[])
    and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)
  union all
  select format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)),
    case contype when 'f' then 3 else 2 end
  from pg_constraint where contype in ('f', 'p', 'u') and conrelid = any($1::regclass[])
  order by step`;

const SORT_MEMORY = '256MB';

/**
 * Drops what would slow down or prevent loading these tables.
 * @returns a function that rebuilds what was dropped, and fails if the rows are inconsistent
 */
export async function dropForLoad(
  client: ClientBase,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  const names = tables.map((table) => client.escapeIdentifier(table));
  const { rows } = await client.query<{ drop: string; create: string }>(DEPENDENTS, [names]);
  const triggers = (what: 'disable' | 'enable') =>
    names.map((name) => `alter table ${name} ${what} trigger user`);
  const drops = rows.map((row) => row.drop).toReversed();
  await client.query([...drops, ...triggers('disable')].join(';'));
  return async () => {
    await client.query(`set local maintenance_work_mem = '${SORT_MEMORY}'`);
    for (const { create } of rows) await client.query(create);
    await client.query(triggers('enable').join(';'));
  };
}
