import { LOCKS } from '../db/locks.ts';
import { inLongTransaction } from '../db/session.ts';
import { requireCluster } from './cluster.ts';
import { distributeTables, type DistributedTables } from '../db/sharding/distribute.ts';

export type Distributed = DistributedTables & { nodes: number };

/**
 * Distributes the tables of a database over the workers of a Citus cluster, by workspace. It is one
 * transaction on all nodes: if it is stopped at any step, nothing has changed, and it can be run again.
 * @param onStep called with each step before it is taken
 * @throws {CommandError} saying what is missing
 */
export function distribute(url: string, onStep: (step: string) => void = () => {}): Promise<Distributed> {
  return inLongTransaction(url, undefined, async (client) => {
    const nodes = await requireCluster(client);
    await client.query('select pg_advisory_xact_lock($1)', [LOCKS.migration]);
    const done = await distributeTables(client, onStep);
    onStep('commit on every node');
    return { nodes, ...done };
  });
}
