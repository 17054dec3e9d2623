import type { World } from './world.ts';

/** Vacuums until all pages of the tables are all-visible, which index-only scans need. */
export async function vacuum({ query }: Pick<World, 'query'>, tables: readonly string[]): Promise<void> {
  // Rows are visible to all once their commit is on disk, which the tests' server puts off.
  await query(
    'begin; set local synchronous_commit = on; create temp table flushed () on commit drop; commit',
  );
  // A transaction that began earlier, the service's own or autovacuum's, may still see older rows.
  do await query('vacuum (analyze)');
  while (!(await areVisible(query, tables)));
}

async function areVisible(query: World['query'], tables: readonly string[]): Promise<boolean> {
  const rows = await query(
    'select from pg_class where oid = any($1::regclass[]) and relallvisible < relpages',
    [tables],
  );
  return rows.length === 0;
}
