import { BEGIN_UNLIMITED, connectionSettings, Session } from '../db/session.ts';
import { isSpread } from '../db/sharding/spread.ts';
import { FIRST_TABLE, REFERENCE_TABLES } from '../db/sharding/tables.ts';

/** One snapshot, and no more rights than reading takes: a standby can give a backup as well. */
const SNAPSHOT = `${BEGIN_UNLIMITED}; set transaction isolation level repeatable read, read only`;

/** Begins the transaction that reads a backup. */
export async function beginSnapshot(client: Session, databaseUrl: string): Promise<void> {
  if (!(await isSpread(client))) {
    await client.query(SNAPSHOT);
    return;
  }
  const holder = new Session(connectionSettings(databaseUrl));
  await holder.connect();
  try {
    // Each node's snapshot is taken by its first statement. Until all have one, nothing is added that rows of
    // several nodes refer to.
    await holder.query('begin');
    await holder.query(`lock table ${REFERENCE_TABLES.join(', ')} in share mode`);
    await client.query(SNAPSHOT);
    // Another connection to a node would take a snapshot of its own.
    await client.query('set local citus.max_adaptive_executor_pool_size = 1');
    await client.query(`select from ${FIRST_TABLE} limit 1`);
  } finally {
    await holder.end();
  }
}
