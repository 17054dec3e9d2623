import { sql, type RawBuilder } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { RESOURCES, type ChangeEntry, type Resource } from './schema.ts';

/** All resources, as an array. */
export const RESOURCE_LIST = sql.lit(`{${RESOURCES.join(',')}}`);

/** A place in the change log: after the entry of this id. */
export type LogPlace = { id: number; salt: number };

type State = {
  last_id: number;
  last_salt: number;
  pruned_id: number;
  /** Whether entries have been committed that have no number yet. */
  is_pending: boolean;
  is_read_only: boolean;
};

/** Also true on a standby. */
const IS_READ_ONLY = sql`current_setting('transaction_read_only') = 'on'`;

/** Whether a workspace has an entry without a number. The order makes PostgreSQL use the index in any case. */
function isPending(tenant: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce((
    select true from changes where changes.tenant_id = ${tenant} and changes.id is null order by draw limit 1), false)`;
}

export const readState = statement(
  'read state of changes',
  (p: { tenant: string }) =>
    sql<State>`select coalesce(c.last_id, 0) as last_id, coalesce(c.last_salt, 0) as last_salt,
      coalesce(c.pruned_id, 0) as pruned_id,
      ${isPending(sql`${p.tenant}`)} as is_pending, ${IS_READ_ONLY} as is_read_only
    from (select) as workspace left join change_counters c on c.tenant_id = ${p.tenant}`,
);

/** Which workspaces have entries that come after the ids seen, numbered or about to be. */
export const findChangedWorkspaces = statement(
  'find changed workspaces',
  (p: { workspaces: string[]; ids: number[] }) =>
    sql<{ workspace: string }>`select seen.workspace
    from unnest(${p.workspaces}::uuid[], ${p.ids}::bigint[]) as seen (workspace, id)
    where (not ${IS_READ_ONLY} and ${isPending(sql`seen.workspace`)})
      or (select last_id > seen.id from change_counters where tenant_id = seen.workspace)`,
);

/** The same where tables are on shards: each is asked for its own workspaces, and pending entries are read in full. */
export const findChangedOnShards = statement(
  'find changed workspaces on shards',
  (p: { workspaces: string[]; ids: number[] }) =>
    sql<{ workspace: string }>`select distinct tenant_id as workspace from changes
      where tenant_id = any(${p.workspaces}::uuid[]) and id is null
    union select c.tenant_id from change_counters c
      join unnest(${p.workspaces}::uuid[], ${p.ids}::bigint[]) as seen (workspace, id) on seen.workspace = c.tenant_id
    where c.tenant_id = any(${p.workspaces}::uuid[]) and c.last_id > seen.id`,
);

/** Locks the numbering of a workspace's entries until the transaction ends. */
const lockCounter = statement(
  'lock change counter',
  (p: { tenant: string }) => sql<LogPlace>`
    insert into change_counters (tenant_id, last_id) values (${p.tenant}, 0)
    on conflict (tenant_id) do update set last_id = change_counters.last_id
    returning last_id as id, last_salt as salt`,
);

/** The most entries that one transaction numbers. */
const BATCH = 10_000;

/** No join by rows: a plan made while the table was small would compare each entry with every other. */
const numberEntries = statement(
  'number changes',
  (p: { tenant: string }) =>
    sql<LogPlace & { numbered: number }>`with pending as materialized (
      select array_agg(draw order by draw) as draws, max(draw) as last_draw from (
        select draw from changes where tenant_id = ${p.tenant} and id is null order by draw limit ${sql.lit(BATCH)}
      ) as oldest),
    numbered as (
      update changes set id = c.last_id + width_bucket(changes.draw, pending.draws)
      from pending, change_counters c
      where changes.tenant_id = ${p.tenant} and changes.id is null and changes.draw <= pending.last_draw
        and c.tenant_id = ${p.tenant}
      returning changes.id, changes.salt),
    last as (select id, salt from numbered order by id desc limit 1)
    update change_counters set last_id = last.id, last_salt = last.salt from last
    where change_counters.tenant_id = ${p.tenant}
    returning last_id as id, last_salt as salt, (select count(*) from numbered)::integer as numbered`,
);

/**
 * Whether this database has issued a place and still keeps every entry after it: also true for the place just before
 * the oldest entry kept.
 */
export const findPlace = statement(
  'find place in changes',
  (p: { tenant: string; id: number; salt: number }) =>
    sql<{ is_kept: boolean }>`select exists (
        select from changes where tenant_id = ${p.tenant} and resource = any(${RESOURCE_LIST}::text[])
          and id = ${p.id}::bigint and salt = ${p.salt}::bigint)
      or coalesce(
        (select pruned_id = ${p.id}::bigint and pruned_salt = ${p.salt}::bigint from change_counters where tenant_id = ${p.tenant}),
        ${p.id}::bigint = 0 and ${p.salt}::bigint = 0) as is_kept`,
);

const ENTRY = sql`id, at, resource, resource_id, orgnr, contact_id, action, fields, "values",
  json_build_object('kind', actor_kind, 'id', actor_id) as actor, request_id`;

export type StoredEntry = ChangeEntry & { salt: number };

/** Entries between two places in order; each resource is read from its index. */
export const listChanges = statement(
  'list changes',
  (p: { tenant: string; resources: readonly string[]; after: number; until: number; limit: number }) =>
    sql<StoredEntry>`select entry.* from unnest(${p.resources}::text[]) as wanted,
        lateral (
          select ${ENTRY}, salt from changes
          where tenant_id = ${p.tenant} and resource = wanted and id > ${p.after} and id <= ${p.until}
          order by id limit ${p.limit}
        ) as entry
      order by entry.id limit ${p.limit}`,
);

/** The newest entries of a workspace, oldest first, for the operator. */
const listNewest = statement(
  'list newest changes',
  (p: { tenant: string; resources: readonly string[]; since: string | null; limit: number }) =>
    sql<ChangeEntry>`select * from (
        select entry.* from unnest(${p.resources}::text[]) as wanted,
          lateral (
            select ${ENTRY} from changes
            where tenant_id = ${p.tenant} and resource = wanted and id is not null
              and (${p.since}::timestamptz is null or at >= ${p.since}::timestamptz)
            order by id desc limit ${p.limit}
          ) as entry
        order by entry.id desc limit ${p.limit}
      ) as newest order by id`,
);

/** How far the entries of a workspace are numbered and kept; `isBehind` if some have no number yet. */
export type Numbered = { oldest: number; end: LogPlace; isBehind: boolean };

/**
 * Numbers the committed entries, at most one batch unless `toEnd`. Entries that are
 * committed meanwhile may be left to the next reader, because under constant writes there are always more.
 * @param options.mayLag in a read-only database, leaves entries without a number for later: they come after the end
 * @throws {DatabaseUnavailable}
 */
export async function numberCommitted(
  tenant: Tenant,
  { toEnd, mayLag = false }: { toEnd: boolean; mayLag?: boolean },
): Promise<Numbered> {
  const state = (await tenant.row(readState, {}))!;
  const oldest = state.pruned_id;
  if (!state.is_pending || (mayLag && state.is_read_only))
    return { oldest, end: { id: state.last_id, salt: state.last_salt }, isBehind: false };
  for (;;) {
    const { numbered, ...end } = await tenant.transaction(async (transaction) => {
      const locked = (await transaction.row(lockCounter, {}))!;
      // A separate statement, so that it sees what was committed during the wait for the lock.
      return (await transaction.row(numberEntries, {})) ?? { ...locked, numbered: 0 };
    });
    const isBehind = numbered === BATCH;
    if (!isBehind || !toEnd) return { oldest, end, isBehind };
  }
}

export const findResources = statement(
  'find resources of changes',
  (p: { tenant: string; after: number; until: number }) =>
    sql<{ resource: Resource }>`select resource
      from unnest(${RESOURCE_LIST}::text[]) as resource
      where (
        select true from changes
        where tenant_id = ${p.tenant} and changes.resource = resource.resource
          and id > ${p.after} and id <= ${p.until} order by id limit 1)`,
);

/** What came after a place: the new end, and the resources that have entries. */
export type NewEntries = { end: LogPlace; resources: ReadonlySet<Resource> };

export async function findNewEntries(tenant: Tenant, after: number): Promise<NewEntries> {
  const { end } = await numberCommitted(tenant, { toEnd: false, mayLag: true });
  const found = await tenant.rows(findResources, { after, until: end.id });
  return { end, resources: new Set(found.map(({ resource }) => resource)) };
}

/** Entries for the operator; those without a number get one first. */
export async function listNewestChanges(
  tenant: Tenant,
  { resources, since, limit }: { resources: readonly Resource[]; since: string | null; limit: number },
): Promise<ChangeEntry[]> {
  await numberCommitted(tenant, { toEnd: true });
  return tenant.rows(listNewest, { resources, since, limit });
}
