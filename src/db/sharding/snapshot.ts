import { sql } from 'kysely';
import { statement, type Statement } from '../statement.ts';
import { FIRST_TABLE, REFERENCE_TABLES } from './tables.ts';

/** Read-only, so that a standby can be read too. */
const beginSnapshot = statement(
  'begin snapshot',
  () => sql<object>`set transaction isolation level repeatable read, read only`,
);

/**
 * An earlier snapshot does not see the rows that a migration writes when it rewrites a table. A migration locks this
 * table before its first change and until its commit; waiting for that lock does not take the snapshot yet.
 */
const keepOutMigrations = statement(
  'keep out migrations',
  () => sql<object>`lock table schema_migrations in access share mode`,
);

const keepReferences = statement(
  'lock reference tables',
  () => sql<object>`lock table ${sql.join(REFERENCE_TABLES.map((table) => sql.table(table)))} in share mode`,
);

/** Another connection to a node would take a snapshot of its own. */
const useOneConnectionPerNode = statement(
  'use one connection to each node',
  () => sql<object>`set local citus.max_adaptive_executor_pool_size = 1`,
);

const reachNodes = statement(
  'take the snapshot of every node',
  () => sql<object>`select from ${sql.table(FIRST_TABLE)} limit 1`,
);

/** Runs a statement in a transaction. */
export type RunStatement = (statement: Statement<object, object>) => Promise<unknown>;

/**
 * Takes the snapshot of a transaction that has not run a statement yet. Waits for a migration in progress, as
 * long as the session's lock timeout allows; later migrations wait for the end of the transaction.
 * @param other runs in another transaction, which ends afterwards; needed where tables are on shards
 */
export async function takeSnapshot(run: RunStatement, other?: RunStatement): Promise<void> {
  await run(beginSnapshot);
  await run(keepOutMigrations);
  if (!other) return;
  // Each node takes its snapshot at its first statement. Until all have one, the tables that rows of several nodes
  // refer to must not change.
  await other(keepReferences);
  await run(useOneConnectionPerNode);
  await run(reachNodes);
}
