import { sql } from 'kysely';
import { reading, statement } from '../db/statement.ts';
import { SHOWN_USER } from '../members/shown.ts';
import type { Role } from '../members/roles.ts';
import type { ListedMember } from './member-schema.ts';

export type MemberRow = Omit<ListedMember, 'may'>;

// Who is the last owner is decided by requireOtherOwner, under a lock; this is what it would decide now.
const columns = (tenant: string) => sql`
  ${SHOWN_USER}, m.role, m.joined_at, coalesce(m.rejoined_at, m.created_at) as added_at,
  m.last_used_at, (
    select max(l.expires_at) from welcome_links l
    where l.user_id = m.user_id and l.tenant_id = m.tenant_id and l.used_at is null and l.expires_at > now()
  ) as invitation_expires_at, m.role = 'owner' and not exists (
    select from memberships o
    where o.tenant_id = ${tenant} and o.user_id <> m.user_id and o.role = 'owner' and o.removed_at is null
      and (m.joined_at is null or o.joined_at is not null)
  ) as is_last_owner
from memberships m join users u on u.id = m.user_id`;

export const listMembersWithRoles = reading(
  'list members with roles',
  (p: { tenant: string; after: string; limit: number }) => sql<MemberRow>`
    select ${columns(p.tenant)}
    where m.tenant_id = ${p.tenant} and m.removed_at is null and m.user_id > ${p.after}
    order by m.user_id limit ${p.limit}`,
);

export const findMember = reading(
  'find member with role',
  (p: { tenant: string; id: string }) => sql<MemberRow>`
    select ${columns(p.tenant)} where m.tenant_id = ${p.tenant} and m.user_id = ${p.id} and m.removed_at is null`,
);

/** Locks members until the transaction ends, always in one order. */
export const lockMembers = statement(
  'lock members',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ user_id: string; role: Role }>`
    select user_id, role from memberships
    where tenant_id = ${p.tenant} and user_id = any(${p.ids}::uuid[]) and removed_at is null
    order by user_id for no key update`,
);

/** Finds one of the members that were locked. */
export function memberOf<Member extends { user_id: string }>(locked: readonly Member[]) {
  return (id: string): Member | undefined => locked.find(({ user_id }) => user_id === id);
}

/** Whether a person is, or was, a member of another workspace too: one that may let them in again. */
export const findOtherMembership = reading(
  'find other membership',
  (p: { tenant: string; id: string }) => sql<{ user_id: string }>`
    select user_id from memberships where user_id = ${p.id} and tenant_id <> ${p.tenant} limit 1`,
);
