import { sql as raw, type Expression, type SqlBool } from 'kysely';
import { builder, statement } from '../db/statement.ts';
import type { MembershipsTable, UsersTable } from './schema.ts';

const sql = builder<{ users: UsersTable; memberships: MembershipsTable }>();

const members = sql
  .selectFrom('memberships')
  .innerJoin('users', 'users.id', 'memberships.user_id')
  .where('memberships.removed_at', 'is', null)
  .select(['users.id', 'users.email', 'users.first_name', 'users.last_name']);

/** Members in order of id; one more than `limit` tells that there are more. */
export const listMembers = statement('list members', (p: { tenant: string; limit: number; offset: number }) =>
  members
    .where('memberships.tenant_id', '=', p.tenant)
    .orderBy('memberships.user_id')
    .limit(p.limit)
    .offset(p.offset),
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

/** How addresses are compared (contract, GET /users rule 1); the column users.email_key is made alike. */
export function emailKey(email: string): string {
  return email.includes('*') ? email : email.toLowerCase();
}

/** Whether a user is a member now: a condition for statements that store a reference to one. */
export function isMember(tenant: string, user: string): Expression<SqlBool> {
  return raw<SqlBool>`exists (select from memberships where tenant_id = ${tenant} and user_id = ${user} and removed_at is null)`;
}
