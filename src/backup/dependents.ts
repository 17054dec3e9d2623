import type { ClientBase } from 'pg';

/** Foreign keys, which would need the tables in an order, and indexes, which are built faster once. */
const DEPENDENTS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
  from pg_constraint where contype = 'f' and conrelid = any($1::regclass[])
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index where indrelid = any($1::regclass[])
    and not exists (select from pg_constraint where conindid = indexrelid and conrelid = indrelid)`;

const SORT_MEMORY = '256MB';

/**
 * Takes away what would slow down or hinder filling these tables.
 * @returns builds it again, which fails where rows do not fit together
 */
export async function dropForLoad(
  client: ClientBase,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  const names = tables.map((table) => client.escapeIdentifier(table));
  const { rows } = await client.query<{ drop: string; create: string }>(DEPENDENTS, [names]);
  const triggers = (what: 'disable' | 'enable') =>
    names.map((name) => `alter table ${name} ${what} trigger user`);
  await client.query([...rows.map((row) => row.drop), ...triggers('disable')].join(';'));
  return async () => {
    await client.query(`set local maintenance_work_mem = '${SORT_MEMORY}'`);
    // Indexes before foreign keys, which are checked with them.
    const [indexes, keys] = [rows.filter(isIndex), rows.filter((row) => !isIndex(row))];
    for (const { create } of [...indexes, ...keys]) await client.query(create);
    await client.query(triggers('enable').join(';'));
  };
}

function isIndex({ drop }: { drop: string }): boolean {
  return drop.startsWith('drop index');
}
