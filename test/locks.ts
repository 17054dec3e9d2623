import { Client } from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import type { World } from './world.ts';

/** What another transaction has locked and not yet let go of. */
export type Held = {
  /** Resolves once `waiters` statements of the service wait for it. */
  awaited(waiters?: number): Promise<void>;
  /** Carries out another statement in the same transaction. */
  run(text: string): Promise<void>;
  commit(): Promise<void>;
};

/** Carries out a statement on one row in a transaction that stays open until `commit`. */
export async function holdRow(url: string, text: string, values: unknown[]): Promise<Held> {
  const client = await begin(url);
  const { rowCount } = await client.query(text, values);
  if (rowCount !== 1) throw new Error('the row to hold is not there');
  return held(client);
}

/** Keeps a table from being read or written until `commit`. */
export async function holdTable(url: string, table: string): Promise<Held> {
  const client = await begin(url);
  await client.query(`lock table ${table} in access exclusive mode`);
  return held(client);
}

async function begin(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // What a failed test still holds would keep the following ones waiting.
  onTestFinished(() => client.end());
  await client.query('begin');
  return client;
}

function held(client: Client): Held {
  return {
    async awaited(waiters = 1) {
      await expect.poll(() => waitersFor(client)).toBeGreaterThanOrEqual(waiters);
    },
    async run(text) {
      await client.query(text);
    },
    async commit() {
      await client.query('commit');
      await client.end();
    },
  };
}

/** How many statements wait for a lock in a database, regardless of who holds it. */
export async function countWaiters(world: Pick<World, 'query'>): Promise<number> {
  const here = 'datname = current_database()';
  const [found] = await world.query(
    inject('postgres').isCitus
      ? `select count(distinct waiting_gpid)::int as waiting from citus_lock_waits
         where waiting_gpid in (select global_pid from citus_stat_activity where ${here})`
      : `select count(*)::int as waiting from pg_stat_activity
         where ${here} and cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return found.waiting;
}

/** Cuts the connections of the statements that wait for a lock in a database, regardless of who holds it. */
export async function cutWaiters(world: Pick<World, 'query'>): Promise<void> {
  const here = 'datname = current_database()';
  await world.query(
    inject('postgres').isCitus
      ? `select pg_terminate_backend(waiting_gpid) from citus_lock_waits
         where waiting_gpid in (select global_pid from citus_stat_activity where ${here})`
      : `select pg_terminate_backend(pid) from pg_stat_activity where ${here} and wait_event_type = 'Lock'`,
  );
}

/** How many statements of the service wait for what `client` holds. */
async function waitersFor(client: Client): Promise<number> {
  // Within a transaction, PostgreSQL would answer from its first look at the statistics.
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and pg_backend_pid() = any (pg_blocking_pids(pid))`,
  );
  if (rows[0].waiting > 0 || !inject('postgres').isCitus) return rows[0].waiting;
  // On Citus, a statement waits on the node that has its row.
  const waits = await client.query(
    `select count(distinct waiting_gpid)::int as waiting from citus_lock_waits
     where blocking_gpid = citus_backend_gpid()`,
  );
  return waits.rows[0].waiting;
}
