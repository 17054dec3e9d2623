import type { ClientBase } from 'pg';
import { escapeIdentifier } from 'pg';
import { OWN_TABLES } from '../db/migrations.ts';
import type { TableHead } from './file.ts';

/** Tables that are neither backed up nor restored: their rows are not valid in another database. */
const NEVER_RESTORED = new Set([
  'schema_migrations',
  'sessions',
  'sign_in_attempts',
  'sign_in_steps',
  'backup_state',
]);

/** The mirror of the national register, which can be imported again. Units removed on legal grounds are in another table. */
export const MIRROR = new Set([
  // In use until migration 0005, which left it in place.
  'register_copy',
  'register_feeds',
  'register_invalidations',
  'register_mirror',
  'register_set_aside',
  'register_units',
]);

export function isRestored(table: string): boolean {
  return !NEVER_RESTORED.has(table);
}

/**
 * The service's tables, also those of another role, which may have upgraded the schema. Other tables in the schema are
 * the operator's; those of another role are left out, because reading them may be forbidden, and so are partitioned ones,
 * which PostgreSQL does not copy.
 */
const TABLES = `
  select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns, c.reltuples::bigint as estimate
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and not c.relispartition
    and c.relnamespace = (select relnamespace from pg_class where oid = 'schema_migrations'::regclass)
    and (c.relname = any($1) or c.relowner = (select relowner from pg_class where oid = 'schema_migrations'::regclass))
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.oid order by c.relname`;

/** A table with the columns that are stored, and about how many rows it has. */
export type Table = TableHead & { estimate: number };

export async function listTables(client: ClientBase): Promise<Table[]> {
  return (await client.query<Table>(TABLES, [OWN_TABLES])).rows;
}

const SEQUENCES = `
  select c.relname as table, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relname = any($1) and c.relnamespace = (select relnamespace from pg_class where oid = 'schema_migrations'::regclass)
    and a.attidentity <> '' and not a.attisdropped
  order by 1, 2`;

/** Identity columns with the sequences that number them. */
export async function listSequences(client: ClientBase, tables: readonly string[]) {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(SEQUENCES, [
    tables,
  ]);
  return rows;
}

/** `name (column, …)` for COPY. */
export function copyTarget({ table, columns }: TableHead): string {
  return `${escapeIdentifier(table)} (${columns.map(escapeIdentifier).join(', ')})`;
}
