import { CommandError } from '../cli/output.ts';
import type { Session } from '../db/session.ts';

/** The oldest Citus that this release is tested with. */
const MIN_CITUS = 13;

const WORKERS = "pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards";

/** Each check relies on those before it. Where a check fails, its `fault` is not null. */
const CHECKS: readonly (readonly [query: string, advice: (fault: string) => string])[] = [
  [
    "select 'no extension' as fault where not exists (select from pg_extension where extname = 'citus')",
    () =>
      "This database has no Citus: install Citus on every node, set shared_preload_libraries = 'citus', run create extension citus, then try again",
  ],
  [
    `select extversion as fault from pg_extension
     where extname = 'citus' and substring(extversion from '^\\d+')::integer < ${MIN_CITUS}`,
    (version) =>
      `Citus ${version} is too old: update it to ${MIN_CITUS} or later on every node, and run alter extension citus update`,
  ],
  [
    "select 'no superuser' as fault where current_setting('is_superuser') <> 'on'",
    () =>
      'Distributing tables takes a superuser of the coordinator: name one in DATABASE_URL for this command',
  ],
  [
    "select 'worker' as fault from pg_dist_local_group where groupid <> 0",
    () => 'This node is a worker: name the coordinator in DATABASE_URL',
  ],
  [
    "select 'no coordinator' as fault where not exists (select from pg_dist_node where groupid = 0)",
    () => 'The coordinator is not part of the cluster: run select citus_set_coordinator_host(<host>, <port>)',
  ],
  [
    `select 'no worker' as fault where not exists (select from ${WORKERS})`,
    () => 'The cluster has no node for shards: run select citus_add_node(<host>, <port>) for each worker',
  ],
  [
    `select string_agg(distinct format('%s:%s to %s:%s', from_nodename, from_nodeport, to_nodename, to_nodeport), ', ') as fault
     from citus_check_cluster_node_health() where result is not true`,
    (silent) => `Nodes do not reach each other (${silent}): start them, and check addresses and passwords`,
  ],
  [
    // Tables that are distributed already must have all their shards.
    `select string_agg(logicalrelid::text, ', ' order by logicalrelid::text) as fault from pg_dist_partition
     where not exists (select from pg_dist_shard s where s.logicalrelid = pg_dist_partition.logicalrelid)
       or exists (select from pg_dist_shard s where s.logicalrelid = pg_dist_partition.logicalrelid
         and not exists (select from pg_dist_placement p where p.shardid = s.shardid))`,
    (without) => `Shards are missing of ${without}: restore them from a backup before anything else`,
  ],
];

/**
 * Checks that a database is on the coordinator of a cluster whose nodes all answer.
 * @returns how many nodes hold shards
 * @throws {CommandError} saying what to do
 */
export async function requireCluster(client: Session): Promise<number> {
  if (client.pooled) {
    throw new CommandError(
      'There is a pooler in front of PostgreSQL: run kundebok distribute with the coordinator itself in DATABASE_URL',
    );
  }
  for (const [query, advice] of CHECKS) {
    const { rows } = await client.query<{ fault: string | null }>(query);
    const fault = rows[0]?.fault;
    if (fault) throw new CommandError(advice(fault));
  }
  const { rows } = await client.query<{ count: number }>(`select count(*) as count from ${WORKERS}`);
  return rows[0]!.count;
}
