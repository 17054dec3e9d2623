import { openClient } from './database.ts';

/**
 * Every row of every table of a database, as text in order, by table. Columns are in order of name: a migration
 * may have added them in another order.
 */
export async function readAllRows(
  url: string,
  except: readonly string[] = [],
): Promise<Record<string, string[]>> {
  await using client = await openClient(url);
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  );
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    if (except.includes(name)) continue;
    const { rows } = await client.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t order by 1`,
    );
    all[name] = rows.map(({ row }) => row);
  }
  return all;
}

/** What a schema is made of: indexes, constraints, triggers, defaults. */
export async function readSchema(url: string): Promise<string[]> {
  await using client = await openClient(url);
  const { rows } = await client.query<{ made: string }>(`
    select pg_get_indexdef(indexrelid) as made from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace = 'public'::regnamespace
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || ' ' || convalidated
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) || ' ' || tgenabled::text from pg_trigger where not tgisinternal
    union all select attrelid::regclass || ' ' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    order by 1`);
  return rows.map(({ made }) => made);
}
