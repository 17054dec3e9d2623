import { escapeIdentifier } from 'pg';
import type { Session } from '../session.ts';
import { FIRST_TABLE, listShardedTables, REFERENCE_TABLES, TRIGGERS } from './tables.ts';

/** The tables that were distributed; empty lists if all had been distributed before. */
export type DistributedTables = { distributed: string[]; reference: string[] };

/** Whether the tables of this database are on shards. */
export async function isDistributed(client: Session): Promise<boolean> {
  const { rows } = await client.query<{ has_citus: boolean }>(
    "select exists (select from pg_extension where extname = 'citus') as has_citus",
  );
  if (!rows[0]?.has_citus) return false;
  const found = await client.query('select from pg_dist_partition where logicalrelid = to_regclass($1)', [
    FIRST_TABLE,
  ]);
  return found.rowCount === 1;
}

/**
 * Distributes the tables that are not distributed yet, in the caller's transaction.
 * @param onStep called before each step
 */
export async function distributeTables(
  client: Session,
  onStep: (step: string) => void = () => {},
): Promise<DistributedTables> {
  const sharded = await listShardedTables(client);
  const missing = {
    reference: await listUndistributed(client, REFERENCE_TABLES, 'n'),
    sharded: await listUndistributed(client, sharded, 'h'),
  };
  const tables = [...missing.reference, ...missing.sharded];
  if (tables.length > 0) {
    await useOneConnection(client);
    await dropTriggers(client, tables);
    const keys = await dropForeignKeys(client, tables);
    for (const table of missing.reference) {
      onStep(`copy ${table} to every node`);
      await client.query('select create_reference_table($1)', [table]);
    }
    for (const table of missing.sharded) {
      onStep(`distribute ${table}`);
      await client.query(distribution(table, table === FIRST_TABLE ? 'none' : FIRST_TABLE));
    }
    onStep(`check ${keys.length} foreign keys`);
    for (const key of keys) await client.query(key);
  }
  return { distributed: missing.sharded, reference: missing.reference };
}

/** Applies a migration to tables on shards, and distributes those that it adds. */
export async function applyOnShards(client: Session, text: string): Promise<void> {
  await useOneConnection(client);
  for (const statement of statementsOnShards(text)) await client.query(statement);
  await distributeTables(client);
}

/** One connection to a worker does not see what another one did in the same transaction. */
async function useOneConnection(client: Session): Promise<void> {
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'");
}

/** In a migration, `-- shard name` distributes a new table, before foreign keys between it and others are added. */
const MARKER = /^-- shard (\w+)$/gm;

/** A string, quoted name, comment or dollar-quoted body, in which a semicolon ends no statement; or other text. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[^]*?\*\/|(\$\w*\$)[^]*?\1|;|[^'"/$;-]+|[^]/g;

/** The statements of a migration on shards: Citus accepts them one at a time. */
function statementsOnShards(text: string): string[] {
  const marked = text.replaceAll(MARKER, (_, table: string) => `${distribution(table, FIRST_TABLE)};`);
  const statements = [''];
  for (const [token] of marked.matchAll(TOKEN)) {
    if (token === ';') statements.push('');
    else statements.push(statements.pop()! + token);
  }
  return statements.filter((statement) => statement.replaceAll(/--[^\n]*/g, '').trim() !== '');
}

function distribution(table: string, colocatedWith: string): string {
  return `select create_distributed_table('${table}', 'tenant_id', colocate_with => '${colocatedWith}')`;
}

/** The tables that Citus has not distributed yet by the method: by hash, or whole to every node. */
async function listUndistributed(
  client: Session,
  tables: readonly string[],
  method: 'h' | 'n',
): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select t as table from unnest($1::text[]) with ordinality as t (t, place) where not exists (
       select from pg_dist_partition where logicalrelid = t::regclass and partmethod = $2
         and ($2 = 'h' or repmodel = 't')) order by place`,
    [tables, method],
  );
  return rows.map(({ table }) => table);
}

async function dropTriggers(client: Session, tables: readonly string[]): Promise<void> {
  for (const [table, trigger] of Object.entries(TRIGGERS)) {
    if (!tables.includes(table)) continue;
    await client.query(`drop trigger if exists ${trigger} on ${table}`);
  }
}

const FOREIGN_KEYS = `
  select k.conname as name, k.conrelid::regclass::text as table, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k
  where k.contype = 'f' and (k.conrelid = any($1::regclass[]) or k.confrelid = any($1::regclass[]))
  order by k.conrelid::regclass::text, k.conname`;

/**
 * Citus would distribute a table only after those that its foreign keys refer to, so the keys are dropped meanwhile.
 * @returns statements that add the keys again
 */
async function dropForeignKeys(client: Session, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; table: string; definition: string }>(FOREIGN_KEYS, [
    tables,
  ]);
  for (const { name, table } of rows) {
    await client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`);
  }
  return rows.map(
    ({ name, table, definition }) =>
      `alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`,
  );
}
