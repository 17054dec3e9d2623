import { CommandError } from '../cli/output.ts';
import type { Session } from '../db/session.ts';

/** The oldest that this release is tested with. */
const OLDEST_CITUS = 13;

/**
 * Checks that a database is on the coordinator of a cluster whose nodes all answer.
 * @returns how many nodes hold shards
 * @throws {CommandError} saying what to do
 */
export async function requireCluster(client: Session): Promise<number> {
  if (client.pooled) {
    throw new CommandError(
      'A pooler stands before PostgreSQL: run kundebok distribute with the coordinator itself in DATABASE_URL',
    );
  }
  await requireCitus(client);
  await requireCoordinator(client);
  await requireAnswers(client);
  await requireShards(client);
  return countWorkers(client);
}

async function requireCitus(client: Session): Promise<void> {
  const version = await one<string>(
    client,
    "select extversion as value from pg_extension where extname = 'citus'",
  );
  if (version === undefined) {
    throw new CommandError(
      "This database has no Citus: install Citus on every node, set shared_preload_libraries = 'citus', run create extension citus, then try again",
    );
  }
  if (Number.parseInt(version, 10) < OLDEST_CITUS) {
    throw new CommandError(
      `Citus ${version} is too old: update it to ${OLDEST_CITUS} or later on every node, and run alter extension citus update`,
    );
  }
  const isSuperuser = await one<string>(client, "select current_setting('is_superuser') as value");
  if (isSuperuser !== 'on') {
    throw new CommandError(
      'Distributing tables takes a superuser of the coordinator: name one in DATABASE_URL for this command',
    );
  }
}

async function requireCoordinator(client: Session): Promise<void> {
  const isWorker = await one<boolean>(client, 'select groupid <> 0 as value from pg_dist_local_group');
  if (isWorker) {
    throw new CommandError('This node is a worker: name the coordinator in DATABASE_URL');
  }
  const isNamed = await one<boolean>(
    client,
    'select exists (select from pg_dist_node where groupid = 0) as value',
  );
  if (!isNamed) {
    throw new CommandError(
      'The coordinator is not part of the cluster: run select citus_set_coordinator_host(<host>, <port>)',
    );
  }
  if ((await countWorkers(client)) === 0) {
    throw new CommandError(
      'The cluster has no node for shards: run select citus_add_node(<host>, <port>) for each worker',
    );
  }
}

async function countWorkers(client: Session): Promise<number> {
  return (await one<number>(
    client,
    "select count(*) as value from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards",
  ))!;
}

async function requireAnswers(client: Session): Promise<void> {
  const silent = await one<string>(
    client,
    `select string_agg(distinct format('%s:%s to %s:%s', from_nodename, from_nodeport, to_nodename, to_nodeport), ', ') as value
     from citus_check_cluster_node_health() where result is not true`,
  );
  if (silent) {
    throw new CommandError(
      `Nodes do not reach each other (${silent}): start them, and check addresses and passwords`,
    );
  }
}

/** Of what is distributed already. */
async function requireShards(client: Session): Promise<void> {
  const without = await one<string>(
    client,
    `select string_agg(logicalrelid::text, ', ' order by logicalrelid::text) as value from pg_dist_partition
     where not exists (select from pg_dist_shard s where s.logicalrelid = pg_dist_partition.logicalrelid)
       or exists (select from pg_dist_shard s where s.logicalrelid = pg_dist_partition.logicalrelid
         and not exists (select from pg_dist_placement p where p.shardid = s.shardid))`,
  );
  if (without) {
    throw new CommandError(
      `Shards are missing of ${without}: restore them from a backup before anything else`,
    );
  }
}

async function one<T>(client: Session, text: string): Promise<T | undefined> {
  const { rows } = await client.query<{ value: T | null }>(text);
  return rows[0]?.value ?? undefined;
}
