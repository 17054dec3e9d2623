import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { reading, statement } from '../db/statement.ts';
import { DemoRefused } from './counts.ts';

/** First of the two numbers of a workspace's advisory lock; the second is made from its id. */
const RUNS = 4_718_220;

const lockOf = (tenant: unknown) => sql`${sql.lit(RUNS)}, hashtext(${tenant}::text)`;

/** Holds the demo of a workspace until the transaction ends, be it that its process dies. */
export const claimRun = statement(
  'claim demo run',
  (p: { tenant: string }) =>
    sql<{ is_claimed: boolean }>`select pg_try_advisory_xact_lock(${lockOf(p.tenant)}) as is_claimed`,
);

/**
 * Looks without taking the lock: a run that begins meanwhile must get it. Apart from what is on shards, whose nodes
 * know nothing of locks elsewhere.
 */
export const findRun = reading(
  'find demo run',
  (p: { tenant: string }) => sql<{ is_running: boolean }>`select exists (
    select from pg_locks where locktype = 'advisory' and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and classid = ${sql.lit(RUNS)}::oid
      and objid::bigint = hashtext(${p.tenant}::text)::bigint & 4294967295) as is_running`,
);

/** Makes this the only run on the demo of a workspace until the transaction ends. @throws {DemoRefused} */
export async function requireRun(transaction: Queryable, workspace: string): Promise<void> {
  const { is_claimed } = (await transaction.row(claimRun, { tenant: workspace }))!;
  if (!is_claimed) {
    throw new DemoRefused(
      `Demo data of workspace ${workspace} are being added or removed: wait until that has ended`,
    );
  }
}
