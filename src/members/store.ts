import { sql, type Expression, type SqlBool } from 'kysely';
import { builder, statement } from '../db/statement.ts';
import type { Role } from './roles.ts';
import type { MembershipsTable, UsersTable } from './schema.ts';

const query = builder<{ users: UsersTable; memberships: MembershipsTable }>();

const members = query
  .selectFrom('memberships')
  .innerJoin('users', 'users.id', 'memberships.user_id')
  .where('memberships.removed_at', 'is', null)
  .select(['users.id', 'users.email', 'users.first_name', 'users.last_name']);

/**
 * Members in order of id; one more than `limit` tells that there are more. The page is found in the index of
 * memberships alone; only its people are read.
 */
export const listMembers = statement('list members', (p: { tenant: string; limit: number; offset: number }) =>
  query
    .selectFrom('users')
    .where(
      'id',
      '=',
      sql<string>`any(array(${query
        .selectFrom('memberships')
        .where('tenant_id', '=', p.tenant)
        .where('removed_at', 'is', null)
        .select('user_id')
        .orderBy('user_id')
        .limit(p.limit)
        .offset(p.offset)}))`,
    )
    .select(['id', 'email', 'first_name', 'last_name'])
    .orderBy('id'),
);

/** Members after one of them, in order of id. */
export const listMembersAfter = statement(
  'list members after',
  (p: { tenant: string; after: string; limit: number }) =>
    members
      .where('memberships.tenant_id', '=', p.tenant)
      .where('memberships.user_id', '>', p.after)
      .orderBy('memberships.user_id')
      .limit(p.limit),
);

export const listMembersByEmail = statement(
  'list members by email',
  (p: { tenant: string; emailKey: string; limit: number; offset: number }) =>
    members
      .where('memberships.tenant_id', '=', p.tenant)
      .where('users.email_key', '=', p.emailKey)
      .orderBy('memberships.user_id')
      .limit(p.limit)
      .offset(p.offset),
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

/**
 * Nothing comes back for a present member; a removed one comes back to the workspace, without their old keys, and
 * enters it by another invitation.
 */
export const insertMembership = statement(
  'insert membership',
  (p: { tenant: string; user_id: string; role: Role }) =>
    query
      .insertInto('memberships')
      .values({ tenant_id: p.tenant, user_id: p.user_id, role: p.role })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'user_id'])
          .doUpdateSet((is) => ({
            removed_at: null,
            joined_at: null,
            role: is.ref('excluded.role'),
            rejoined_at: is.ref('excluded.created_at'),
          }))
          .where('memberships.removed_at', 'is not', null),
      )
      .returning('user_id'),
);

/** Holds the owners of a workspace fast until the transaction ends, so that the last one cannot be missed. */
export const lockOwners = statement('lock owners', (p: { tenant: string }) =>
  query
    .selectFrom('memberships')
    .where('tenant_id', '=', p.tenant)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .select('user_id')
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
