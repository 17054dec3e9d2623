import type { ClientBase, Pool } from 'pg';

/** Why the server is read-only, or undefined if it accepts writes. */
export async function findReadOnlyReason(client: Pool | ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ standby: boolean; read_only: boolean }>(
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only",
  );
  if (rows[0]?.standby) return 'the database server is a standby and does not accept writes';
  if (rows[0]?.read_only) return 'the database is read-only (default_transaction_read_only)';
  return undefined;
}
