import { sql, type Expression, type SqlBool } from 'kysely';
import { builder, statement } from '../db/statement.ts';
import type { Role } from './roles.ts';
import type { Invited, MembershipsTable, User, UsersTable } from './schema.ts';
import { SHOWN } from './shown.ts';

const query = builder<{ users: UsersTable; memberships: MembershipsTable }>();

const shown = sql`u.id, ${SHOWN.email} as email, ${SHOWN.first_name} as first_name, ${SHOWN.last_name} as last_name`;

/** Comes before the id of every member. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

type Window = { tenant: string; after: string; limit: number; offset: number };

/**
 * Members in order of id; one more than `limit` tells that there are more. The page is found in the index of
 * memberships alone; only its people are read.
 */
export const listMembers = statement(
  'list members',
  (p: Window) => sql<User>`
    select ${shown} from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and u.id = any(array(
      select user_id from memberships where tenant_id = ${p.tenant} and removed_at is null and user_id > ${p.after}
      order by user_id limit ${p.limit} offset ${p.offset}))
    order by u.id`,
);

export const listMembersByEmail = statement(
  'list members by email',
  (p: Window & { emailKey: string }) => sql<User>`
    select ${shown} from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and m.removed_at is null and m.user_id > ${p.after} and u.email_key = ${p.emailKey}
    order by m.user_id limit ${p.limit} offset ${p.offset}`,
);

/** Nothing comes back when the address is known already. */
export const insertUser = statement(
  'insert user',
  (p: { id: string; email: string; first_name: string; last_name: string }) =>
    query
      .insertInto('users')
      .values({ id: p.id, email: p.email, first_name: p.first_name, last_name: p.last_name })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id'),
);

export const findUserByEmail = statement('find user by email', (p: { emailKey: string }) =>
  query.selectFrom('users').where('email_key', '=', p.emailKey).select('id'),
);

export const NOT_INVITED: Invited = {
  invited_email: null,
  invited_first_name: null,
  invited_last_name: null,
};

/**
 * Returns nothing for a present member. A removed one is a member again, without their old keys, and
 * enters by another invitation. A person who has been in the workspace is shown by their own names, not the invitation's.
 */
export const insertMembership = statement(
  'insert membership',
  (p: { tenant: string; user_id: string; role: Role } & Invited) => sql<{ user_id: string }>`
    insert into memberships (tenant_id, user_id, role, invited_email, invited_first_name, invited_last_name)
    values (${p.tenant}, ${p.user_id}, ${p.role}, ${p.invited_email}, ${p.invited_first_name}, ${p.invited_last_name})
    on conflict (tenant_id, user_id) do update set
      removed_at = null, joined_at = null, role = excluded.role, rejoined_at = excluded.created_at,
      invited_email = case when memberships.joined_at is null then excluded.invited_email end,
      invited_first_name = case when memberships.joined_at is null then excluded.invited_first_name end,
      invited_last_name = case when memberships.joined_at is null then excluded.invited_last_name end
    where memberships.removed_at is not null
    returning user_id`,
);

/** Holds the owners of a workspace fast until the transaction ends, so that the last one cannot be missed. */
export const lockOwners = statement('lock owners', (p: { tenant: string }) =>
  query
    .selectFrom('memberships')
    .where('tenant_id', '=', p.tenant)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .select(['user_id', 'joined_at'])
    .orderBy('user_id')
    .forUpdate(),
);

/** Nothing comes back for a person who is not a member now. */
export const removeMembership = statement('remove membership', (p: { tenant: string; user_id: string }) =>
  query
    .updateTable('memberships')
    .set({ removed_at: sql<string>`now()` })
    .where('tenant_id', '=', p.tenant)
    .where('user_id', '=', p.user_id)
    .where('removed_at', 'is', null)
    .returning('user_id'),
);

/** Members of every workspace: for the operator's command line. */
export const listAllMembers = statement('list all members', () =>
  query
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('removed_at', 'is', null)
    .select(['tenant_id as workspace_id', 'user_id', 'email', 'first_name', 'last_name', 'role'])
    .orderBy('tenant_id')
    .orderBy('user_id'),
);

/** How addresses are compared (contract, GET /users rule 1); the column users.email_key is made alike. */
export function emailKey(email: string): string {
  return email.includes('*') ? email : email.toLowerCase();
}

/** Whether a user is a member now: a condition for statements that store a reference to one. */
export function isMember(tenant: string, user: string): Expression<SqlBool> {
  return sql<SqlBool>`exists (select from memberships where tenant_id = ${tenant} and user_id = ${user} and removed_at is null)`;
}
