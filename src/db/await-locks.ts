import { DatabaseError } from 'pg';
import { LOCKS } from './locks.ts';
import type { Session } from './session.ts';

/** How long the readers of a table may have to wait behind an attempt. */
const ATTEMPT = '2s';
const TELL_INTERVAL_MS = 5_000;
const LOCK_TIMEOUT = '55P03';

/** A prepared transaction has no pid. */
const HOLDERS = `
  select distinct case when pid is null then 'a prepared transaction'
    else format('%s (pid %s)', coalesce(nullif(application_name, ''), 'unnamed'), pid) end as holder
  from pg_locks left join pg_stat_activity using (pid)
  where granted and database = (select oid from pg_database where datname = current_database())
    and pid is distinct from pg_backend_pid()
    and (relation = to_regclass('schema_migrations')
      or locktype = 'advisory' and objsubid = 1 and classid::bigint << 32 | objid::bigint = $1)
  order by 1`;

/**
 * Begins a transaction without time limits, and takes locks of the schema in it. Waits for as long as others have
 * them; between attempts, readers that wait behind this one get through.
 * @param onWait called every few seconds meanwhile, with the sessions that have the locks
 * @returns what `take` returns; the transaction is open then
 */
export async function beginWithLocks<T>(
  client: Session,
  take: () => Promise<T>,
  onWait: (holders: string) => void,
): Promise<T> {
  let toldAt = -Infinity;
  for (;;) {
    await client.beginUnlimited();
    try {
      await client.query(`set local lock_timeout = '${ATTEMPT}'`);
      const taken = await take();
      await client.query('set local lock_timeout = 0');
      return taken;
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === LOCK_TIMEOUT)) throw error;
    }
    await client.query('rollback');
    if (performance.now() - toldAt < TELL_INTERVAL_MS) continue;
    const { rows } = await client.query<{ holder: string }>(HOLDERS, [LOCKS.migration]);
    // They may have ended since.
    if (rows.length === 0) continue;
    toldAt = performance.now();
    onWait(rows.map(({ holder }) => holder).join(', '));
  }
}
