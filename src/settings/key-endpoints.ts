import type { Database, Queryable } from '../db/connect.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation, type Caller } from '../http/endpoint.ts';
import { notFound, Problem } from '../http/problem.ts';
import { createKey, type CreatedKey } from '../keys/create.ts';
import { maskOf, namesOf } from '../keys/permissions.ts';
import { notifyOfKeys } from '../keys/store.ts';
import { mayDecide, roleOf, type Role } from '../members/roles.ts';
import {
  keyAnswer,
  keyCreate,
  keyParams,
  keyRotate,
  keysAnswer,
  keysQuery,
  newKeyAnswer,
  type ListedKey,
} from './key-schema.ts';
import { countLiveKeys, findKey, listKeys, revokeKeyOfWorkspace, type KeyRow } from './key-store.ts';
import { roleNow } from './member-endpoints.ts';
import { lockMembers, memberOf } from './member-store.ts';
import { rotateKey } from './rotate-key.ts';

/** The most keys that one answer lists. */
const MAX_LISTED = 500;

/** The most working keys of a member, so that nobody's keys fill the list of an owner who looks for one. */
const MAX_KEYS = 100;
/** The same, including replaced keys that still work. */
const MAX_WITH_REPLACED = 150;

export const getKeys = operation({
  operationId: 'listKeys',
  summary: 'List API keys',
  description: 'Members see their own, admins and owners all; newest first.',
  query: keysQuery,
  answers: { 200: keysAnswer },
  fails: [],
  async handle({ query: { ended = false }, caller, tenant }) {
    const user_id = seesAll(caller) ? null : caller.userId;
    const rows = await tenant.rows(listKeys, { user_id, is_live: !ended, limit: MAX_LISTED + 1 });
    const data = rows.slice(0, MAX_LISTED).map((row) => shown(row, caller));
    return answer(200, { data, has_more: rows.length > MAX_LISTED });
  },
});

export const postKey = (db: Database) =>
  operation({
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'It acts in the name of the person who creates it. The key itself is only in this answer.',
    body: keyCreate,
    answers: { 201: newKeyAnswer },
    fails: ['limit_reached'],
    unrepeatable: true,
    async handle({ body: { name, permissions, expires_at = null }, caller, tenant }) {
      const wanted = {
        tenant: tenant.id,
        user_id: caller.userId,
        permissions: maskOf(permissions),
        name,
        expires_at,
      };
      const data = await db.transaction(async (transaction) => {
        await requireRoom(transaction, wanted, MAX_KEYS);
        const created = await createKey(transaction, wanted);
        if (!created) throw notFound(`Member ${caller.userId}`);
        return newKeyOf(transaction, tenant, created, caller);
      });
      return answer(201, { data });
    },
  });

export const postRotation = (db: Database) =>
  operation({
    operationId: 'rotateKey',
    summary: 'Replace an API key with a new one',
    description:
      'The new key has the name, permissions and creator of the old one, and the same lifetime. The old one keeps working for the given hours.',
    params: keyParams,
    body: keyRotate,
    answers: { 201: newKeyAnswer },
    fails: ['not_found', 'key_ended', 'limit_reached'],
    unrepeatable: true,
    async handle({ params: { id }, body: { overlap_hours }, caller, tenant }) {
      const old = await requireKey(tenant, caller, id);
      const data = await db.transaction(async (transaction) => {
        // The roles that both have now decide; the locks keep them until the key is created.
        const ids = [caller.userId, old.user_id];
        const find = memberOf(await transaction.rows(lockMembers, { tenant: tenant.id, ids }));
        const own = { userId: caller.userId, role: roleNow(find(caller.userId)) };
        if (!mayRotate({ ...old, creator_role: find(old.user_id)?.role ?? old.creator_role }, own)) {
          throw new Problem(
            'forbidden',
            'A key acts in its creator’s name: only they or an owner can replace it',
          );
        }
        // Without an overlap, the old key ends at once and makes room.
        if (overlap_hours > 0) {
          await requireRoom(transaction, { tenant: tenant.id, user_id: old.user_id }, MAX_WITH_REPLACED);
        }
        const created = await rotateKey(transaction, tenant.id, old, overlap_hours);
        return newKeyOf(transaction, tenant, created, caller);
      });
      return answer(201, { data });
    },
  });

export const postRevocation = operation({
  operationId: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'For good, in every process within a second. A key that was already revoked stays unchanged.',
  params: keyParams,
  answers: { 200: keyAnswer },
  fails: ['not_found'],
  unrepeatable: true,
  async handle({ params: { id }, caller, tenant }) {
    await requireKey(tenant, caller, id);
    await tenant.transaction(async (transaction) => {
      const revoked = await transaction.row(revokeKeyOfWorkspace, { id });
      if (revoked) await transaction.rows(notifyOfKeys, { ids: [id] });
    });
    return answer(200, { data: shown(await requireKey(tenant, caller, id), caller) });
  },
});

/** @throws {Problem} limit_reached. Concurrent requests may create a few more. */
async function requireRoom(
  transaction: Queryable,
  { tenant, user_id }: { tenant: string; user_id: string },
  most: number,
): Promise<void> {
  const { count } = (await transaction.row(countLiveKeys, { tenant, user_id }))!;
  if (count < most) return;
  throw new Problem(
    'limit_reached',
    `User ${user_id} already has ${count} API keys that work: revoke one first`,
  );
}

/** The key is read before the transaction ends: if reading it failed after that, nobody would get the new key. */
async function newKeyOf(transaction: Queryable, tenant: Tenant, { key_id, key }: CreatedKey, caller: Caller) {
  const row = (await transaction.row(findKey, { tenant: tenant.id, id: key_id }))!;
  return { key: shown(row, caller), token: key };
}

/** A key that the caller sees: their own, or any for an admin or owner. */
async function requireKey(tenant: Tenant, caller: Caller, id: string): Promise<KeyRow> {
  const key = await tenant.row(findKey, { id });
  if (!key || (key.user_id !== caller.userId && !seesAll(caller))) throw notFound(`Key ${id}`);
  return key;
}

function seesAll({ permissions }: Caller): boolean {
  return roleOf(permissions) !== 'member';
}

/** Whoever has the new key acts in its creator's name. Besides their own, admins get only members' keys, owners all. */
function mayRotate(
  { user_id, creator_role }: KeyRow,
  { userId, role }: { userId: string; role: Role },
): boolean {
  return user_id === userId || mayDecide(role, creator_role);
}

function shown(row: KeyRow, caller: Caller): ListedKey {
  const { user_id, first_name, last_name, creator_role: _role, is_live, permissions, ...key } = row;
  return {
    ...key,
    creator: { id: user_id, first_name, last_name },
    permissions: namesOf(permissions),
    state: stateOf(row),
    may: {
      rotate:
        is_live &&
        key.replaced_by === null &&
        mayRotate(row, { userId: caller.userId, role: roleOf(caller.permissions) }),
      revoke: is_live,
    },
  };
}

function stateOf({ revoked_at, replaced_by, is_live }: KeyRow): ListedKey['state'] {
  if (is_live) return replaced_by === null ? 'active' : 'replaced';
  return revoked_at === null ? 'expired' : 'revoked';
}
