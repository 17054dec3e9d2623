import { LOCKS } from './locks.ts';
import type { Session } from './session.ts';
import { isLocked } from './unavailable.ts';

/** How long the readers of a table may have to wait behind an attempt. */
const ATTEMPT = '2s';
const TELL_INTERVAL_MS = 5_000;

/** Sessions that have had a lock on a table for as long as an attempt. A prepared transaction has no pid. */
const HOLDERS = `
  select distinct case when pid is null then 'a prepared transaction'
    else format('%s (pid %s)', coalesce(nullif(application_name, ''), 'unnamed'), pid) end as holder
  from pg_locks left join pg_stat_activity using (pid)
  where granted and database = (select oid from pg_database where datname = current_database())
    and pid is distinct from pg_backend_pid()
    and (relation in (
          select oid from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p'))
        and coalesce(xact_start < clock_timestamp() - interval '${ATTEMPT}', true)
      or locktype = 'advisory' and objsubid = 1 and classid::bigint << 32 | objid::bigint = $1)
  order by 1`;

/**
 * Does work on the schema in a transaction without other time limits. When others have a lock that it needs, rolls
 * back and tries again for as long as they have it; between attempts, sessions that wait behind it get through.
 * @param onWait called every few seconds meanwhile, with the sessions that have locks
 * @returns what `work` does; the transaction is open then
 */
export async function beginWithLocks<T>(
  client: Session,
  work: () => Promise<T>,
  onWait: (holders: string) => void,
): Promise<T> {
  let toldAt = -Infinity;
  for (;;) {
    await client.beginUnlimited();
    try {
      await client.query(`set local lock_timeout = '${ATTEMPT}'`);
      return await work();
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    await client.query('rollback');
    if (performance.now() - toldAt < TELL_INTERVAL_MS) continue;
    const { rows } = await client.query<{ holder: string }>(HOLDERS, [LOCKS.migration]);
    // Those sessions may have ended since.
    if (rows.length === 0) continue;
    toldAt = performance.now();
    onWait(rows.map(({ holder }) => holder).join(', '));
  }
}
