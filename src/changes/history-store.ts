import { sql, type RawBuilder } from 'kysely';
import { reading, statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { nameOf, SHOWN } from '../members/shown.ts';
import type { HistoryActor, HistoryEntry, HistoryFilters } from './history-schema.ts';

/** Nobody can choose from a longer list. */
const MAX_ACTORS = 500;

const hasEntries = (tenant: string, actor: RawBuilder<unknown>) =>
  sql`exists (select from changes c where c.tenant_id = ${tenant} and c.actor_id = ${actor})`;

/** Keys that have entries, the newest first. */
export const listKeysInHistory = statement(
  'list keys in history',
  (p: { tenant: string }) => sql<HistoryActor>`
    select 'key' as kind, k.id, coalesce(nullif(k.name, ''), k.id) as name,
      case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'current' end as state,
      coalesce(k.revoked_at, case when k.expires_at <= now() then k.expires_at end) as ended_at
    from api_keys k where k.tenant_id = ${p.tenant} and ${hasEntries(p.tenant, sql`k.id`)}
    order by k.created_at desc, k.id limit ${sql.lit(MAX_ACTORS)}`,
);

/** Removed members who have entries, the latest first. */
export const listRemovedInHistory = statement(
  'list removed members in history',
  (p: { tenant: string }) => sql<HistoryActor>`
    select 'user' as kind, u.id, coalesce(nullif(${SHOWN.name}, ''), ${SHOWN.email}) as name,
      'removed' as state, m.removed_at as ended_at
    from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and m.removed_at is not null and ${hasEntries(p.tenant, sql`u.id::text`)}
    order by m.removed_at desc, u.id limit ${sql.lit(MAX_ACTORS)}`,
);

/** A place in the history: entries are older than it. */
export type HistoryPlace = { at: string; draw: number };

const NEWEST: HistoryPlace = { at: 'infinity', draw: Number.MAX_SAFE_INTEGER };

/** The most entries that one page examines for a filter without an index. */
const MAX_WALKED = 5_000;

type Parameters = Omit<HistoryFilters, 'actor_kind'> &
  HistoryPlace & {
    tenant: string;
    /** Not `actor_kind`, which is that of the caller in every statement. */
    kind: HistoryFilters['actor_kind'];
    walked: number;
    limit: number;
  };

/** The entry is null when the walk found none. */
type Row = { [Field in keyof HistoryEntry]: HistoryEntry[Field] | null } & {
  walked: number;
  end_at: string | null;
  end_draw: number | null;
};

const actorName = (tenant: string) => sql`case w.actor_kind
  when 'user' then ${nameOf(tenant, sql`w.actor_id::uuid`)}
  when 'key' then (select name from api_keys where tenant_id = ${tenant} and id = w.actor_id)
  else w.actor_id end`;

/** A deleted task or offer keeps its title as long as it can be restored. */
const deletedTitle = (tenant: string) => sql`(select "row"->>'title' from deleted_rows
  where tenant_id = ${tenant} and resource = w.resource and id = w.resource_id)`;

const title = (tenant: string) => sql`case
  when w.resource in ('company', 'note') then (select name from companies where tenant_id = ${tenant} and orgnr = w.orgnr)
  when w.resource = 'task' then coalesce((select title from tasks where tenant_id = ${tenant} and id = w.resource_id::uuid), ${deletedTitle(tenant)})
  when w.resource = 'offer' then coalesce((select title from offers where tenant_id = ${tenant} and id = w.resource_id::uuid), ${deletedTitle(tenant)})
  else (select name from contacts where tenant_id = ${tenant} and id = w.contact_id and erased_at is null) end`;

/** Reads backwards in time from a place: the entries of the workspace, or of one actor in it. An index has each. */
function walking(name: string, of: 'workspace' | 'actor') {
  return reading(
    name,
    (p: Parameters) => sql<Row>`
      with walk as materialized (
        select * from changes
        where tenant_id = ${p.tenant} ${of === 'actor' ? sql`and actor_id = ${p.actor}` : sql``}
          and (at, draw) < (${p.at}::timestamptz, ${p.draw}::bigint) and at >= ${p.from}::timestamptz
        order by at desc, draw desc limit ${p.walked}::bigint),
      wanted as (
        select * from walk
        where (${p.resource}::text is null or resource = ${p.resource})
          and (${p.action}::text is null or action = ${p.action})
          and (${p.kind}::text is null or actor_kind = ${p.kind})
        order by at desc, draw desc limit ${p.limit}::bigint)
      select w.draw as id, w.at, w.resource, w.resource_id, w.orgnr, w.contact_id, w.action, w.fields, w."values",
        json_build_object('kind', w.actor_kind, 'id', w.actor_id, 'name', ${actorName(p.tenant)}) as actor,
        w.request_id, ${title(p.tenant)} as title, walked.count as walked, last.at as end_at, last.draw as end_draw
      from (select count(*)::int from walk) as walked
        left join (select at, draw from walk order by at, draw limit 1) as last on true
        left join wanted w on true
      order by w.at desc, w.draw desc`,
  );
}

const walkAll = walking('walk through history', 'workspace');
const walkOfActor = walking('walk through history of actor', 'actor');

export type HistoryPage = { entries: HistoryEntry[]; next: HistoryPlace | undefined };

/**
 * Entries older than a place, newest first. A page of a filter that has no index can hold fewer entries, or none,
 * while more follow.
 */
export async function readHistory(
  tenant: Tenant,
  { actor, actor_kind: kind, resource, action, from = '-infinity', until }: HistoryFilters,
  { before, limit }: { before: HistoryPlace | undefined; limit: number },
): Promise<HistoryPage> {
  const isWalked = [resource, action, kind].some((filter) => filter !== undefined);
  const walked = isWalked ? Math.max(MAX_WALKED, limit) : limit;
  const start = before ?? (until === undefined ? NEWEST : { at: until, draw: 0 });
  const rows = await tenant.rows(actor === undefined ? walkAll : walkOfActor, {
    actor,
    kind,
    resource,
    action,
    from,
    ...start,
    walked,
    limit,
  });
  const entries = rows.flatMap(({ walked: _walked, end_at: _at, end_draw: _draw, ...entry }) =>
    entry.id === null ? [] : [entry as HistoryEntry],
  );
  return { entries, next: nextPlace(rows[0]!, entries, { walked, limit }) };
}

/** After the last entry of a full page, else where the walk stopped; undefined if there are no older entries. */
function nextPlace(
  { walked, end_at, end_draw }: Row,
  entries: readonly HistoryEntry[],
  asked: { walked: number; limit: number },
): HistoryPlace | undefined {
  const last = entries.at(-1);
  if (last && entries.length === asked.limit) return { at: last.at, draw: last.id };
  return walked < asked.walked ? undefined : { at: end_at!, draw: end_draw! };
}
