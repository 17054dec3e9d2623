import type { Queryable } from '../db/connect.ts';
import { tenantOfCommand } from '../db/tenant.ts';
import { ensureMember, type Person } from './add.ts';
import { changeRole } from './change-role.ts';
import { createLink } from './links.ts';
import type { Role } from './roles.ts';
import { emailKey, findRole, findUserByEmail } from './store.ts';

/**
 * Makes a person a member, if they are not one yet, and creates the link with which they enter the workspace. A current
 * member keeps their role and gets another link.
 * @param person.created_by who invites, null for the operator
 * @param person without names, the address stands in for them until the person gives their own
 * @throws {NoAddressYet} for the placeholder of the first owner, in a workspace where they are not a member
 * @throws {CommandError} when there is no such workspace
 */
export async function invite(
  transaction: Queryable,
  workspace: string,
  { role, created_by, ...person }: Person & { role: Role; created_by: string | null },
): Promise<{ user_id: string; path: string; expires_at: string }> {
  const named = person.first_name === '' ? { ...person, first_name: person.email.split('@')[0]! } : person;
  const { user_id } = await ensureMember(transaction, workspace, named, role, { isInvited: true });
  const link = await createLink(transaction, { kind: 'invitation', user_id, workspace, created_by });
  return { user_id, ...link };
}

/**
 * Invites a person for the operator.
 * @param role given to a current member, too; without it, they keep theirs, and others become `member`
 * @returns the link, and the role that the person has now
 * @throws {LastOwner}
 * @throws {NoAddressYet} as `invite`
 * @throws {CommandError} when there is no such workspace
 */
export async function inviteByCommand(
  transaction: Queryable,
  workspace: string,
  { role, ...person }: Person & { role: Role | undefined },
) {
  const known = await transaction.row(findUserByEmail, { emailKey: emailKey(person.email) });
  // Before the link is made, since a change of role ends earlier links.
  if (role && known) await changeRole(tenantOfCommand(transaction, workspace, 'user invite'), known.id, role);
  const invitation = { ...person, role: role ?? ('member' as const), created_by: null };
  const link = await invite(transaction, workspace, invitation);
  const stored = await transaction.row(findRole, { tenant: workspace, user_id: link.user_id });
  return { ...link, role: stored!.role };
}
