import { sql } from 'kysely';
import { reading, statement } from '../db/statement.ts';
import { SHOWN } from '../members/shown.ts';
import type { Role } from '../members/roles.ts';
import type { ListedKey } from './key-schema.ts';

export type KeyRow = Omit<ListedKey, 'creator' | 'permissions' | 'state' | 'may'> & {
  user_id: string;
  first_name: string;
  last_name: string;
  creator_role: Role;
  permissions: number;
  is_live: boolean;
};

const live = sql`(k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))`;

/** Hours in the future are from before the clock was set back. */
const isPast = sql`hour <= now()`;

const columns = (tenant: string) => sql`
  k.id, k.name, k.user_id, ${SHOWN.first_name} as first_name, ${SHOWN.last_name} as last_name, m.role as creator_role, k.permissions, k.created_at,
  k.expires_at, k.revoked_at, k.replaced_by, ${live} as is_live, newest.last_used_at,
  coalesce(day.requests, 0)::bigint as requests_24h, coalesce(day.errors, 0)::bigint as errors_24h
from api_keys k
  join memberships m on m.tenant_id = k.tenant_id and m.user_id = k.user_id
  join users u on u.id = k.user_id
  left join lateral (
    select last_used_at from key_use where tenant_id = ${tenant} and key_id = k.id and ${isPast} order by hour desc limit 1
  ) as newest on true
  left join lateral (
    select sum(requests) as requests, sum(errors) as errors from key_use
    where tenant_id = ${tenant} and key_id = k.id and hour > now() - interval '24 hours' and ${isPast}
  ) as day on true`;

/** Keys of a workspace, newest first: of one creator, or of all where `user_id` is null. */
export const listKeys = reading(
  'list keys of workspace',
  (p: { tenant: string; user_id: string | null; is_live: boolean; limit: number }) => sql<KeyRow>`
    select ${columns(p.tenant)}
    where k.tenant_id = ${p.tenant} and (${p.user_id}::uuid is null or k.user_id = ${p.user_id})
      and ${live} = ${p.is_live}
    order by k.created_at desc, k.id limit ${p.limit}`,
);

/** Keys of a member that work, those that were replaced included. */
export const countLiveKeys = statement(
  'count live keys',
  (p: { tenant: string; user_id: string }) => sql<{ count: number }>`
    select count(*)::integer as count from api_keys k
    where k.tenant_id = ${p.tenant} and k.user_id = ${p.user_id} and ${live}`,
);

export const findKey = reading(
  'find key of workspace',
  (p: { tenant: string; id: string }) => sql<KeyRow>`
    select ${columns(p.tenant)} where k.tenant_id = ${p.tenant} and k.id = ${p.id}`,
);

/** Returns no row for a key that was already revoked. An expired key is revoked, too. */
export const revokeKeyOfWorkspace = statement(
  'revoke key of workspace',
  (p: { tenant: string; id: string }) => sql<{ id: string }>`
    update api_keys set revoked_at = now()
    where tenant_id = ${p.tenant} and id = ${p.id} and revoked_at is null returning id`,
);

/** Returns no row for a key that has ended or was replaced, also by a concurrent request. */
export const replaceKey = statement(
  'replace key',
  (p: {
    tenant: string;
    id: string;
    replaced_by: string;
    expires_at: string | null;
    revoked_at: string | null;
  }) =>
    sql<{ id: string }>`
      update api_keys set replaced_by = ${p.replaced_by}, expires_at = ${p.expires_at}, revoked_at = ${p.revoked_at}
      where tenant_id = ${p.tenant} and id = ${p.id} and replaced_by is null and revoked_at is null
        and (expires_at is null or expires_at > now())
      returning id`,
);
