import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { statement } from '../db/statement.ts';
import { DemoRefused } from './counts.ts';

/** First of the two numbers of a workspace's advisory lock; the second is made from its id. */
const RUNS = 4_718_220;

/** First number of a second lock, which no run waits for: it shows what the run does. */
const KINDS = { adding: 4_718_221, removing: 4_718_222 };

export type Run = keyof typeof KINDS;

const hashOf = (tenant: unknown) => sql`hashtext(${tenant}::text)`;

/** Locks the demo of a workspace until the transaction ends; it also ends when its process dies. */
export const claimRun = statement(
  'claim demo run',
  (p: { tenant: string }) =>
    sql<{ is_claimed: boolean }>`select
      pg_try_advisory_xact_lock(${sql.lit(RUNS)}, ${hashOf(p.tenant)}) as is_claimed`,
);

const announceRun = statement(
  'announce demo run',
  (p: { tenant: string; kind: number }) =>
    sql`select pg_advisory_xact_lock_shared(${p.kind}::integer, ${hashOf(p.tenant)})`,
);

/**
 * Looks without taking the lock: a run that begins meanwhile must get it. It is a separate statement because nodes with
 * shards do not see the locks of other nodes.
 */
export const findRun = statement(
  'find demo run',
  (p: { tenant: string }) => sql<{ run: Run | null }>`select (
    select case kind.classid when ${sql.lit(KINDS.adding)}::oid then 'adding' else 'removing' end
    from pg_locks run join pg_locks kind using (pid, locktype, objsubid, database, objid)
    where locktype = 'advisory' and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and run.classid = ${sql.lit(RUNS)}::oid
      and kind.classid in (${sql.lit(KINDS.adding)}::oid, ${sql.lit(KINDS.removing)}::oid)
      and objid::bigint = hashtext(${p.tenant}::text)::bigint & 4294967295 limit 1) as run`,
);

/** Makes this the only run on the demo of a workspace until the transaction ends. @throws {DemoRefused} */
export async function requireRun(transaction: Queryable, workspace: string, run: Run): Promise<void> {
  // This lock comes first, so that the kind of the run that holds the demo is always known.
  await transaction.row(announceRun, { tenant: workspace, kind: KINDS[run] });
  const { is_claimed } = (await transaction.row(claimRun, { tenant: workspace }))!;
  if (!is_claimed) {
    throw new DemoRefused(
      `Demo data of workspace ${workspace} are being added or removed: wait until that has ended`,
    );
  }
}
