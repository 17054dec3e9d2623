import type { Queryable } from '../db/connect.ts';
import { revokeKeysOfMember } from '../keys/store.ts';
import { lockOwners, removeMembership } from './store.ts';

/** A workspace would be left without an owner. */
export class LastOwner extends Error {
  override readonly name = 'LastOwner';
}

/**
 * Takes a person out of a workspace and revokes their keys there. What they wrote keeps its author.
 * @returns undefined when the person is not a member
 * @throws {LastOwner} and removes nobody
 */
export async function removeMember(
  transaction: Queryable,
  workspace: string,
  user_id: string,
): Promise<{ user_id: string; revoked_keys: number } | undefined> {
  const member = { tenant: workspace, user_id };
  const owners = await transaction.rows(lockOwners, { tenant: workspace });
  if (owners.length === 1 && owners[0]?.user_id === user_id) {
    throw new LastOwner(`User ${user_id} is the last owner of workspace ${workspace}`);
  }
  if (!(await transaction.row(removeMembership, member))) return undefined;
  const revoked = await transaction.rows(revokeKeysOfMember, member);
  return { user_id, revoked_keys: revoked.length };
}
