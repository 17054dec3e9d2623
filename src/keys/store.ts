import { sql } from 'kysely';
import { statement } from '../db/statement.ts';

/** What a process caches of a key. */
export type StoredKey = {
  tenant_id: string;
  id: string;
  user_id: string;
  digest: Buffer;
  permissions: number;
  /** Until the key expires, by PostgreSQL's clock: the clocks of the processes may differ. */
  milliseconds_left: number | null;
  /** The role of its creator. */
  role: string;
};

/** A key as it is made for a member of a workspace. */
export type NewKey = Omit<StoredKey, 'tenant_id' | 'role' | 'milliseconds_left'> & {
  tenant: string;
  name: string;
  expires_at: string | null;
};

/**
 * Keys by public id, because the workspace is not known yet. Leaves out revoked keys, keys of removed members,
 * and keys from before a member was removed and added again.
 */
export const findLiveKeys = statement(
  'find live keys',
  (p: { id: string }) => sql<StoredKey>`
    select k.tenant_id, k.id, k.user_id, k.digest, k.permissions, m.role,
      (extract(epoch from k.expires_at - now()) * 1000)::float8 as milliseconds_left
    from api_keys k join memberships m on m.tenant_id = k.tenant_id and m.user_id = k.user_id
    where k.id = ${p.id} and k.revoked_at is null and m.removed_at is null
      and (m.rejoined_at is null or k.created_at >= m.rejoined_at)`,
);

/**
 * Returns no row when the user is not a member of the workspace now. Waits for a removal or a change of role that is
 * under way; a later one finds the key. Citus needs the alias `k` in `returning`.
 */
export const insertKey = statement(
  'insert key',
  (p: NewKey) => sql<{ id: string }>`
    insert into api_keys as k (tenant_id, user_id, id, name, digest, permissions, expires_at)
    select tenant_id, user_id, ${p.id}, ${p.name}, ${p.digest}, ${p.permissions}, ${p.expires_at} from memberships
    where tenant_id = ${p.tenant} and user_id = ${p.user_id} and removed_at is null for share
    returning k.id`,
);

/** Keys of every workspace, newest first, for the command line. */
export const listAllKeys = statement(
  'list all keys',
  () => sql<{
    workspace_id: string;
    key_id: string;
    user_id: string;
    name: string;
    permissions: number;
    created_at: string;
    expires_at: string | null;
    revoked_at: string | null;
  }>`
    select tenant_id as workspace_id, id as key_id, user_id, name, permissions, created_at, expires_at, revoked_at
    from api_keys order by created_at desc`,
);

/** The owner of the first key, while no key has a name other than `name`; otherwise returns no row. */
export const findUnseenOwner = statement(
  'find unseen owner',
  (p: { name: string }) => sql<{ workspace_id: string; user_id: string }>`
    select tenant_id as workspace_id, user_id from api_keys
    where name = ${p.name} and not exists (select from api_keys other where other.name <> api_keys.name) limit 1`,
);

export const renameKey = statement(
  'rename key',
  (p: { id: string; name: string }) => sql<{ id: string }>`
    update api_keys set name = ${p.name} where id = ${p.id} returning id`,
);

/**
 * Notifies every process that keys have changed, in the transaction that changes them. The table's trigger does so
 * too, for changes made outside the service; on Citus there is none, since it would fire on a node without listeners.
 */
export const notifyOfKeys = statement(
  'notify of keys',
  (p: { tenant: string; ids: readonly string[] }) =>
    sql<{ id: string }>`select id from unnest(${p.ids}::text[]) as id, pg_notify('api_key_changed', id)`,
);

export const listKeyIds = statement(
  'list ids of keys of member',
  (p: { tenant: string; user_id: string }) => sql<{ id: string }>`
    select id from api_keys where tenant_id = ${p.tenant} and user_id = ${p.user_id} and revoked_at is null`,
);

/** Revokes for good; returns no row for a key that was revoked before. */
export const revokeKey = statement(
  'revoke key',
  (p: { id: string }) => sql<{ tenant_id: string }>`
    update api_keys set revoked_at = now() where id = ${p.id} and revoked_at is null returning tenant_id`,
);

export const findRevokedKey = statement(
  'find revoked key',
  (p: { id: string }) => sql<{ key_id: string; revoked_at: string }>`
    select id as key_id, revoked_at from api_keys where id = ${p.id} and revoked_at is not null`,
);

/** Revokes all keys of a member for good. */
export const revokeKeysOfMember = statement(
  'revoke keys of member',
  (p: { tenant: string; user_id: string }) => sql<{ id: string }>`
    update api_keys set revoked_at = now()
    where tenant_id = ${p.tenant} and user_id = ${p.user_id} and revoked_at is null returning id`,
);
