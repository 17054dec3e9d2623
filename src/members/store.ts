import { sql, type RawBuilder } from 'kysely';
import { reading, statement } from '../db/statement.ts';
import type { Role } from './roles.ts';
import type { Invited, User } from './schema.ts';
import { SHOWN_USER } from './shown.ts';

type Window = { tenant: string; after: string; limit: number; offset: number };

/**
 * Members in order of id. For a page, `limit` is one more than its size: the extra row tells that there are more. The
 * page is found in the index of memberships alone; only its people are read.
 */
export const listMembers = statement(
  'list members',
  (p: Window) => sql<User>`
    select ${SHOWN_USER} from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and u.id = any(array(
      select user_id from memberships where tenant_id = ${p.tenant} and removed_at is null and user_id > ${p.after}
      order by user_id limit ${p.limit} offset ${p.offset}))
    order by u.id`,
);

/** Finds members by the address that the workspace sees, so that nobody can find out another one of the account. */
export const listMembersByEmail = statement(
  'list members by email',
  (p: Window & { emailKey: string }) => sql<User>`
    select ${SHOWN_USER} from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and m.removed_at is null and m.user_id > ${p.after} and (
      m.invited_email is null and m.user_id = (select id from users where email_key = ${p.emailKey})
      or ${emailKeyOf(sql.ref('m.invited_email'))} = ${p.emailKey})
    order by m.user_id limit ${p.limit} offset ${p.offset}`,
);

/** Returns no row when the address is already known. */
export const insertUser = statement(
  'insert user',
  (p: { id: string; email: string; first_name: string; last_name: string }) => sql<{ id: string }>`
    insert into users (id, email, first_name, last_name)
    values (${p.id}, ${p.email}, ${p.first_name}, ${p.last_name})
    on conflict (email_key) do nothing returning id`,
);

export const findUserByEmail = statement(
  'find user by email',
  (p: { emailKey: string }) => sql<{ id: string }>`select id from users where email_key = ${p.emailKey}`,
);

/** Whether the person of membership `m` has entered its workspace and not left it. */
export const HAS_JOINED = sql<boolean>`m.removed_at is null and m.joined_at is not null`;

/** Returns a row for a person who can enter at least one workspace. */
export const findJoined = reading(
  'find joined workspace',
  (p: { user_id: string }) => sql<{ tenant_id: string }>`
    select m.tenant_id from memberships m where m.user_id = ${p.user_id} and ${HAS_JOINED} limit 1`,
);

export const NOT_INVITED: Invited = {
  invited_email: null,
  invited_first_name: null,
  invited_last_name: null,
};

/**
 * Returns no row for a current member. A removed person becomes a member again, without their old keys, and enters by
 * another invitation. A person who has been in the workspace is shown by their own names, not the invitation's. A
 * person who has only been invited has an invited_email; joining clears it.
 */
export const insertMembership = statement(
  'insert membership',
  (p: { tenant: string; user_id: string; role: Role } & Invited) => sql<{ user_id: string }>`
    insert into memberships (tenant_id, user_id, role, invited_email, invited_first_name, invited_last_name)
    values (${p.tenant}, ${p.user_id}, ${p.role}, ${p.invited_email}, ${p.invited_first_name}, ${p.invited_last_name})
    on conflict (tenant_id, user_id) do update set
      removed_at = null, joined_at = null, role = excluded.role, rejoined_at = excluded.created_at,
      invited_email = case when memberships.invited_email is not null then excluded.invited_email end,
      invited_first_name = case when memberships.invited_email is not null then excluded.invited_first_name end,
      invited_last_name = case when memberships.invited_email is not null then excluded.invited_last_name end
    where memberships.removed_at is not null
    returning user_id`,
);

/** Returns no row for somebody who has the role already, is not a member, or has another role than `from`. */
export const setRole = statement(
  'set role',
  (p: { tenant: string; user_id: string; role: Role; from: Role | null }) => sql<{
    joined_at: string | null;
  }>`
    update memberships set role = ${p.role}
    where tenant_id = ${p.tenant} and user_id = ${p.user_id} and role <> ${p.role} and removed_at is null
      and role = coalesce(${p.from}, role)
    returning joined_at`,
);

export const findRole = statement(
  'find role',
  (p: { tenant: string; user_id: string }) => sql<{ role: Role }>`
    select role from memberships where tenant_id = ${p.tenant} and user_id = ${p.user_id} and removed_at is null`,
);

/** Locks the owners of a workspace until the transaction ends, so that of two owners who leave at once, one stays. */
export const lockOwners = statement(
  'lock owners',
  (p: { tenant: string }) => sql<{ user_id: string; joined_at: string | null }>`
    select user_id, joined_at from memberships
    where tenant_id = ${p.tenant} and role = 'owner' and removed_at is null order by user_id for no key update`,
);

/**
 * Locks the membership of somebody who was removed. It waits for writes that give them work, because the foreign keys
 * of these lock the membership too. Called after the removal's commit: a lock before it would only delay such writes.
 */
export const lockLeaving = statement(
  'lock leaving member',
  (p: { tenant: string; user_id: string }) => sql<{ user_id: string }>`
    select user_id from memberships where tenant_id = ${p.tenant} and user_id = ${p.user_id} for update`,
);

/** Returns no row for a person who is not a member now. */
export const removeMembership = statement(
  'remove membership',
  (p: { tenant: string; user_id: string }) => sql<{ user_id: string }>`
    update memberships set removed_at = now()
    where tenant_id = ${p.tenant} and user_id = ${p.user_id} and removed_at is null returning user_id`,
);

/** Returns a row for a person who can enter another workspace. */
export const findJoinedElsewhere = statement(
  'find joined workspace elsewhere',
  (p: { tenant: string; user_id: string }) => sql<{ tenant_id: string }>`
    select m.tenant_id from memberships m
    where m.user_id = ${p.user_id} and m.tenant_id <> ${p.tenant} and ${HAS_JOINED} limit 1`,
);

/** Ends all sessions of a person: a session belongs to no workspace. */
export const endSessions = statement(
  'end sessions of person',
  (p: { tenant: string; user_id: string }) =>
    sql<{ id: string }>`delete from sessions where user_id = ${p.user_id} returning id`,
);

/** Members of every workspace: for the operator's command line. */
export const listAllMembers = statement(
  'list all members',
  () => sql<Omit<User, 'id'> & { workspace_id: string; user_id: string; role: Role }>`
    select m.tenant_id as workspace_id, m.user_id, u.email, u.first_name, u.last_name, m.role
    from memberships m join users u on u.id = m.user_id
    where m.removed_at is null order by m.tenant_id, m.user_id`,
);

/** How addresses are compared (contract, GET /users rule 1); the column users.email_key is computed the same way. */
export function emailKey(email: string): string {
  return email.includes('*') ? email : email.toLowerCase();
}

/** The same for an address in the database, as SQL. */
export function emailKeyOf(email: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`case when strpos(${email}, '*') > 0 then ${email} else lower(${email}) end`;
}
