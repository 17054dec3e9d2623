import { sql } from 'kysely';
import { builder, statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import type { ChangeEntry, Resource } from './schema.ts';

/** A place in the change log: after the entry of this id. */
export type Place = { id: number; salt: number };

type State = {
  last_id: number;
  last_salt: number;
  pruned_id: number;
  pruned_salt: number;
  /** Whether entries have been committed that have no number yet. */
  is_pending: boolean;
};

const query = builder<{
  change_counters: { tenant_id: string; last_id: number };
}>();

const readState = statement(
  'read state of changes',
  (p: { tenant: string }) =>
    sql<State>`select coalesce(c.last_id, 0) as last_id, coalesce(c.last_salt, 0) as last_salt,
      coalesce(c.pruned_id, 0) as pruned_id, coalesce(c.pruned_salt, 0) as pruned_salt,
      exists (select from changes where tenant_id = ${p.tenant} and id is null) as is_pending
    from (select ${p.tenant}::uuid as tenant_id) as workspace left join change_counters c using (tenant_id)`,
);

/** Whoever numbers entries of a workspace holds this row until the transaction ends. */
const lockCounter = statement('lock change counter', (p: { tenant: string }) =>
  query
    .insertInto('change_counters')
    .values({ tenant_id: p.tenant, last_id: 0 })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet((is) => ({ last_id: is.ref('change_counters.last_id') })),
    )
    .returning('last_id'),
);

/** Entries that one transaction numbers at most. */
const BATCH = 10_000;

const numberEntries = statement(
  'number changes',
  (p: { tenant: string }) =>
    sql<{ numbered: number }>`with pending as (
      select draw, row_number() over (order by draw) as place from (
        select draw from changes where tenant_id = ${p.tenant} and id is null order by draw limit ${sql.lit(BATCH)}
      ) as oldest),
    numbered as (
      update changes set id = c.last_id + pending.place
      from pending, change_counters c
      where changes.tenant_id = ${p.tenant} and changes.draw = pending.draw and c.tenant_id = ${p.tenant}
      returning changes.id, changes.salt),
    last as (select id, salt from numbered order by id desc limit 1)
    update change_counters set last_id = last.id, last_salt = last.salt from last
    where change_counters.tenant_id = ${p.tenant}
    returning (select count(*) from numbered)::integer as numbered`,
);

const findSalt = statement(
  'find change salt',
  (p: { tenant: string; resources: readonly string[]; id: number }) =>
    sql<{ salt: number }>`select salt from changes
    where tenant_id = ${p.tenant} and resource = any(${p.resources}::text[]) and id = ${p.id}`,
);

/** Entries between two places in order, one more than the caller asks for; each resource is read from its index. */
const listEntries = statement(
  'list changes',
  (p: { tenant: string; resources: readonly string[]; after: number; until: number; limit: number }) =>
    sql<
      ChangeEntry & { salt: number }
    >`select entry.id, entry.at, entry.resource, resource_id, orgnr, contact_id,
        action, fields, "values", jsonb_build_object('kind', actor_kind, 'id', actor_id) as actor, request_id, salt
      from unnest(${p.resources}::text[]) as wanted,
        lateral (
          select * from changes
          where tenant_id = ${p.tenant} and resource = wanted and id > ${p.after} and id <= ${p.until}
          order by id limit ${p.limit}
        ) as entry
      order by entry.id limit ${p.limit}`,
);

/** How far the entries of a workspace are numbered and kept, every committed one being numbered first. */
export async function readNumberedState(tenant: Tenant): Promise<State> {
  let state = await peekState(tenant);
  while (state.is_pending) {
    await tenant.transaction(async (transaction) => {
      await transaction.row(lockCounter, {});
      // Another statement: it sees what was committed while the lock was waited for.
      await transaction.row(numberEntries, {});
    });
    state = await peekState(tenant);
  }
  return state;
}

export async function peekState(tenant: Tenant): Promise<State> {
  return (await tenant.row(readState, {}))!;
}

/** Whether this database has given out the place, and still keeps everything after it. */
export async function isKept(
  tenant: Tenant,
  state: State,
  place: Place,
  resources: readonly Resource[],
): Promise<boolean> {
  if (place.id < state.pruned_id || place.id > state.last_id) return false;
  if (place.id === state.pruned_id) return place.salt === state.pruned_salt;
  if (place.id === state.last_id) return place.salt === state.last_salt;
  const found = await tenant.row(findSalt, { resources, id: place.id });
  return found?.salt === place.salt;
}

export function listChanges(
  tenant: Tenant,
  resources: readonly Resource[],
  between: { after: number; until: number },
  limit: number,
): Promise<(ChangeEntry & { salt: number })[]> {
  return tenant.rows(listEntries, { resources, ...between, limit });
}
