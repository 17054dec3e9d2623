import type { Queryable } from '../db/connect.ts';
import { ensureMember, type Person } from './add.ts';
import { createLink } from './links.ts';
import type { Role } from './roles.ts';

/**
 * Makes a person a member, if they are none, and creates the link with which they enter the workspace. A current
 * member keeps their role and gets another link.
 * @param person.created_by who invites, null for the operator
 * @param person without names, the address stands in for them until the person gives their own
 * @throws {NoAddressYet} for the placeholder of the first owner, in a workspace where they are no member
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
