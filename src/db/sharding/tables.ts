import type { ClientBase } from 'pg';

/**
 * Tables below workspaces that every node holds whole, because they are read before the workspace is known or
 * together with the data of a person: keys are found by their public id, members by the person who signs in. They are
 * small and seldom change.
 */
const REFERENCED_BELOW_WORKSPACES = ['memberships', 'api_keys'];

/** Tables that every node holds whole. */
export const REFERENCE_TABLES = ['workspaces', 'users', ...REFERENCED_BELOW_WORKSPACES];

/** The other tables are placed next to the shards of this one. */
export const FIRST_TABLE = 'companies';

/** The trigger fires on the node that holds the row, where no process of the service listens. */
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
