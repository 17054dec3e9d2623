import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import { statement } from '../statement.ts';

/**
 * Tables that every node holds whole. Two of them belong to workspaces, but they are read before the workspace is
 * known or together with the data of a person: keys are found by their public id, members by the person who signs in.
 * They are small and seldom change.
 */
export const REFERENCE_TABLES = ['workspaces', 'users', 'memberships', 'api_keys'];

/** The shards of all other sharded tables are colocated with those of this one. */
export const FIRST_TABLE = 'companies';

/** Dropped when tables are distributed: they would fire on other nodes, where no process of the service listens. */
export const TRIGGERS = { api_keys: 'api_keys_changed', memberships: 'memberships_changed' };

/** Tables whose primary key begins with the workspace, except those above. */
const SHARDED = `
  select c.relname as table from pg_class c
  join pg_index i on i.indrelid = c.oid and i.indisprimary
  join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] and a.attname = 'tenant_id'
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> all ($1)
  order by c.relname <> $2, c.relname`;

/** Tables that are sharded by workspace, the first one first; all others stay on the coordinator. */
export async function listShardedTables(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(SHARDED, [REFERENCE_TABLES, FIRST_TABLE]);
  return rows.map(({ table }) => table);
}

/** Whether tables are distributed over several nodes: a statement that locks or writes then names one workspace. */
export const findSharding = statement(
  'find sharding',
  () => sql<{ is_sharded: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as is_sharded`,
);
