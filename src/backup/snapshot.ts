import { withSession, type Session } from '../db/session.ts';
import { isSpread } from '../db/sharding/spread.ts';
import { FIRST_TABLE, REFERENCE_TABLES } from '../db/sharding/tables.ts';

/** One snapshot, read-only, so that a standby can be backed up too. */
const SNAPSHOT = 'set transaction isolation level repeatable read, read only';

/** Takes the snapshot of a backup, in a transaction that has done nothing yet. */
export function takeSnapshot(client: Session, databaseUrl: string): Promise<void> {
  return withSession(databaseUrl, async (other) => {
    if (await isSpread(other)) {
      // Each node takes its snapshot at its first statement. Until all have one, nothing is added that rows of
      // several nodes refer to.
      await other.query('begin');
      await other.query(`lock table ${REFERENCE_TABLES.join(', ')} in share mode`);
      await client.query(SNAPSHOT);
      // Another connection to a node would take a snapshot of its own.
      await client.query('set local citus.max_adaptive_executor_pool_size = 1');
      await client.query(`select from ${FIRST_TABLE} limit 1`);
    } else await client.query(SNAPSHOT);
  });
}
