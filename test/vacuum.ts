import type { World } from './world.ts';

/** Vacuums until all pages of the tables are visible to all, without which no index is read alone. */
export async function vacuum({ sql }: Pick<World, 'sql'>, tables: readonly string[]): Promise<void> {
  // Rows are visible to all once their commit is on disk, which the tests' server puts off.
  await sql('begin; set local synchronous_commit = on; create temp table flushed () on commit drop; commit');
  // A transaction that began earlier, the service's own or autovacuum's, may still see older rows.
  do await sql('vacuum (analyze)');
  while (!(await areVisible(sql, tables)));
}

async function areVisible(sql: World['sql'], tables: readonly string[]): Promise<boolean> {
  const rows = await sql(
    'select from pg_class where oid = any($1::regclass[]) and relallvisible < relpages',
    [tables],
  );
  return rows.length === 0;
}
