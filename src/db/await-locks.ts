import { DatabaseError } from 'pg';
import { LOCKS } from './locks.ts';
import type { Session } from './session.ts';
import { isDistributed } from './sharding/distribute.ts';

/** How long the readers of a table may have to wait behind an attempt. */
const ATTEMPT = '2s';
const TELL_INTERVAL_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** A prepared transaction has no pid. */
const HOLDERS = `
  select distinct case when pid is null then 'a prepared transaction'
    else format('%s (pid %s)', coalesce(nullif(application_name, ''), 'unnamed'), pid) end as holder
  from pg_locks left join pg_stat_activity using (pid)
  where granted and database = (select oid from pg_database where datname = current_database())
    and pid is distinct from pg_backend_pid()
    and (relation in (select to_regclass(name) from unnest(array_append($2, 'schema_migrations')) name)
      or locktype = 'advisory' and objsubid = 1 and classid::bigint << 32 | objid::bigint = $1)
  order by 1`;

/** The tables and those of the indexes in `$1`, but not another role's: there the migration fails and says so. */
const TABLES_TO_LOCK = `
  select distinct coalesce(indrelid, class.oid)::regclass::text as name
  from unnest($1::text[]) named join pg_class class on class.oid = to_regclass(named)
    left join pg_index on indexrelid = class.oid
  where relkind in ('r', 'p', 'i', 'I') and pg_has_role(relowner, 'usage')`;

/**
 * Begins a transaction without time limits, and takes locks of the schema in it. Waits for as long as others have
 * them; between attempts their waiting readers get through.
 * @param onWait called every few seconds meanwhile, with the sessions that have the locks
 * @param listTables names of tables to lock as well, as SQL has them
 * @returns what `take` does; the transaction is open then
 */
export async function beginWithLocks<T>(
  client: Session,
  take: () => Promise<T>,
  onWait: (holders: string) => void,
  listTables: (taken: T) => Promise<string[]> = async () => [],
): Promise<T> {
  let toldAt = -Infinity;
  for (;;) {
    let tables: string[] = [];
    await client.beginUnlimited();
    try {
      await client.query(`set local lock_timeout = '${ATTEMPT}'`);
      const taken = await take();
      tables = await listTables(taken);
      if (tables.length > 0) await client.query(`lock table ${tables.join(', ')}`);
      await client.query('set local lock_timeout = 0');
      return taken;
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (error.code !== LOCK_NOT_AVAILABLE && error.code !== DEADLOCK) throw error;
    }
    await client.query('rollback');
    if (performance.now() - toldAt < TELL_INTERVAL_MS) continue;
    const { rows } = await client.query<{ holder: string }>(HOLDERS, [LOCKS.migration, tables]);
    // They may have ended since.
    if (rows.length === 0) continue;
    toldAt = performance.now();
    onWait(rows.map(({ holder }) => holder).join(', '));
  }
}

/**
 * Existing tables that a migration locks against readers. On shards there are none: Citus locks them at their turn.
 * @returns names as SQL has them
 */
export async function listTablesToLock(client: Session, migration = ''): Promise<string[]> {
  if (await isDistributed(client)) return [];
  const names = [...migration.matchAll(/^(?:alter table|drop index) (\w+)/gm)].map(([, name]) => name);
  return (await client.query<{ name: string }>(TABLES_TO_LOCK, [names])).rows.map(({ name }) => name);
}
