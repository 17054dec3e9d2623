import type { Database } from '../db/connect.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation, type Caller } from '../http/endpoint.ts';
import { afterId, cursorKindOf } from '../http/listed.ts';
import { cursorPageOf } from '../http/paging.ts';
import { found, invalidRequest, Problem } from '../http/problem.ts';
import { NoAddressYet } from '../members/add.ts';
import { changeRole } from '../members/change-role.ts';
import { lockPerson } from '../members/link-store.ts';
import { invite } from '../members/invite.ts';
import { createLink } from '../members/links.ts';
import { LastOwner } from '../members/remove.ts';
import { mayDecide, roleOf, type Role } from '../members/roles.ts';
import { lockOwners } from '../members/store.ts';
import {
  invitationAnswer,
  invitationBody,
  memberAnswer,
  memberParams,
  membersAnswer,
  membersQuery,
  resetAnswer,
  roleBody,
  type ListedMember,
} from './member-schema.ts';
import {
  findMember,
  findOtherMembership,
  listMembersWithRoles,
  lockMembers,
  type MemberRow,
} from './member-store.ts';

export const getMembers = operation({
  operationId: 'listMembers',
  summary: 'List members with their roles',
  description: 'Those who have accepted an invitation and those who have not yet, in order of id.',
  query: membersQuery,
  answers: { 200: membersAnswer },
  fails: [],
  async handle({ query: { limit, cursor }, caller, tenant }) {
    const kind = cursorKindOf(tenant.id, 'members');
    const after = afterId(kind, cursor);
    const rows = await tenant.rows(listMembersWithRoles, { after, limit: limit + 1 });
    const data = rows.slice(0, limit).map((row) => shown(row, caller));
    const next = rows.length > limit ? [data.at(-1)!.id] : undefined;
    return answer(200, { data, page: cursorPageOf(kind, limit, next) });
  },
});

export const postInvitation = (db: Database) =>
  operation({
    operationId: 'inviteMember',
    summary: 'Invite a person by link',
    description:
      'Admins invite members, owners invite anybody. A person who was invited before gets another link and keeps the role.',
    body: invitationBody,
    answers: { 201: invitationAnswer },
    fails: ['already_member'],
    unrepeatable: true,
    async handle({ body: { role = 'member', ...person }, caller, tenant }) {
      requireRank(roleOf(caller.permissions), role);
      const invited = await db.transaction(async (transaction) => {
        const names = { first_name: person.first_name ?? '', last_name: person.last_name ?? '' };
        const locked = await transaction.row(lockMembers, { tenant: tenant.id, ids: [caller.userId] });
        const own = roleNow(locked);
        const invitation = { email: person.email, ...names, role, created_by: caller.userId };
        const link = await invite(transaction, tenant.id, invitation).catch(toProblem);
        // The role in the database counts: the link of an invited owner makes the person who opens it an owner.
        const member = (await transaction.row(findMember, { tenant: tenant.id, id: link.user_id }))!;
        for (const wanted of [role, member.role]) requireRank(own, wanted);
        if (member.joined_at !== null) {
          throw new Problem('already_member', `${person.email} is a member of this workspace already`);
        }
        return { member, path: link.path, expires_at: link.expires_at };
      });
      return answer(201, { data: { ...invited, member: shown(invited.member, caller) } });
    },
  });

export const patchMember = operation({
  operationId: 'changeRole',
  summary: 'Change the role of a member',
  description:
    'Applies from their next request on. Links of somebody who has not joined yet end. The last owner stays owner.',
  params: memberParams,
  body: roleBody,
  answers: { 200: memberAnswer },
  fails: ['not_found', 'last_owner', 'status_conflict'],
  async handle({ params: { id }, body: { role, from = null }, caller, tenant }) {
    const data = await tenant.transaction(async (transaction) => {
      requireOwner(await transaction.rows(lockOwners, {}), caller);
      await changeRole(transaction, id, role, from).catch(toProblem);
      const member = await requireMember(transaction, id);
      if (from === null || member.role === role) return shown(member, caller);
      throw new Problem('status_conflict', `${member.email} now has another role: nothing was changed`);
    });
    return answer(200, { data });
  },
});

export const postReset = (db: Database) =>
  operation({
    operationId: 'resetPassword',
    summary: 'Create a link for a new password',
    description:
      'For a member who has lost theirs and was never in another workspace. For others the operator does it, with `kundebok user reset`.',
    params: memberParams,
    answers: { 201: resetAnswer },
    fails: ['not_found', 'other_workspaces'],
    unrepeatable: true,
    async handle({ params: { id }, caller, tenant }) {
      if (id === caller.userId) throw new Problem('forbidden', 'Change your own password on your profile');
      const { joined_at, email } = await requireMember(tenant, id);
      if (joined_at === null) {
        throw new Problem('forbidden', `${email} has not accepted the invitation: invite them again`);
      }
      const data = await db.transaction(async (transaction) => {
        requireOwner(await transaction.rows(lockOwners, { tenant: tenant.id }), caller);
        // They may have been removed meanwhile.
        found(await transaction.row(lockMembers, { tenant: tenant.id, ids: [id] }), `Member ${id}`);
        // With the lock, no other workspace can add them before the link exists. If one does later, that ends the link.
        await transaction.row(lockPerson, { user_id: id });
        if (await transaction.row(findOtherMembership, { tenant: tenant.id, id })) {
          throw new Problem(
            'other_workspaces',
            `${email} is also known to another workspace, so only the operator can reset the password: kundebok user reset --email ${email}`,
          );
        }
        return createLink(transaction, { kind: 'reset', user_id: id, created_by: caller.userId });
      });
      return answer(201, { data });
    },
  });

/** @throws {Problem} not_found */
export async function requireMember(tenant: Tenant, id: string): Promise<MemberRow> {
  return found(await tenant.row(findMember, { id }), `Member ${id}`);
}

/** @throws {Problem} forbidden */
export function requireRank(own: Role, role: Role): void {
  if (mayDecide(own, role)) return;
  throw new Problem('forbidden', `Your role does not allow you to manage a member with the role ${role}`);
}

/** The current role of somebody; a request may have begun before they lost it. @throws {Problem} forbidden */
export function roleNow(locked: { role: Role } | undefined): Role {
  if (locked) return locked.role;
  throw new Problem('forbidden', 'You are no longer a member of this workspace');
}

/** @throws {Problem} forbidden */
function requireOwner(owners: readonly { user_id: string }[], { userId }: Caller): void {
  if (owners.some(({ user_id }) => user_id === userId)) return;
  throw new Problem('forbidden', 'You are no longer an owner of this workspace');
}

/** Turns an error about members into the answer of an operation. @throws {Problem} */
export function toProblem(error: unknown): never {
  if (error instanceof NoAddressYet) {
    const message = 'stands for the first owner, who has not given an address yet: must be the person’s own';
    throw invalidRequest([{ field: 'email', message }]);
  }
  if (!(error instanceof LastOwner)) throw error;
  throw new Problem('last_owner', 'A workspace must have an owner: make another member an owner first', {
    cause: error,
  });
}

function shown(row: MemberRow, caller: Caller): ListedMember {
  const own = roleOf(caller.permissions);
  const isOther = row.id !== caller.userId;
  return {
    ...row,
    last_used_at: own === 'member' ? null : row.last_used_at,
    may: {
      change_role: own === 'owner' && !row.is_last_owner,
      remove: mayDecide(own, row.role) && !row.is_last_owner,
      invite: mayDecide(own, row.role) && row.joined_at === null,
      reset: own === 'owner' && isOther && row.joined_at !== null,
    },
  };
}
