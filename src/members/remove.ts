import { CommandError } from '../cli/output.ts';
import type { Statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { notifyOfKeys, revokeKeysOfMember } from '../keys/store.ts';
import { endInvitations, endLinksBy, lockPerson } from './link-store.ts';
import { endSessions, findJoinedElsewhere, lockOwners, removeMembership } from './store.ts';

/** `lockPerson`, typed so that a `Tenant` can run it; the statement uses only the person. */
const lockPersonOf: Statement<{ tenant: string; user_id: string }, { id: string }> = lockPerson;

/** A workspace would be left without an owner. */
export class LastOwner extends CommandError {}

/**
 * Removes a person from a workspace, ends their invitations and the links they made, and revokes their keys there.
 * Their sessions end unless they can enter another workspace. What they wrote keeps its author.
 * Called in a transaction.
 * @returns undefined when the person is not a member
 * @throws {LastOwner} when this is the last owner; nobody is removed
 */
export async function removeMember(
  tenant: Tenant,
  user_id: string,
): Promise<{ user_id: string; revoked_keys: number } | undefined> {
  await requireOtherOwner(tenant, user_id);
  if (!(await tenant.row(removeMembership, { user_id }))) return undefined;
  // A concurrent sign-in either has its session before this lock and loses it, or waits and then finds no workspace.
  await tenant.row(lockPersonOf, { user_id });
  if (!(await tenant.row(findJoinedElsewhere, { user_id }))) await tenant.rows(endSessions, { user_id });
  await tenant.rows(endInvitations, { user_id });
  await tenant.rows(endLinksBy, { user_id });
  const revoked = await tenant.rows(revokeKeysOfMember, { user_id });
  await tenant.rows(notifyOfKeys, { ids: revoked.map(({ id }) => id) });
  return { user_id, revoked_keys: revoked.length };
}

/**
 * Locks the owners until the transaction ends. An owner who has not accepted the invitation does not stand in for
 * an owner who has joined.
 * @throws {LastOwner} when this person is an owner and there is no other
 */
export async function requireOtherOwner(tenant: Tenant, user_id: string): Promise<void> {
  const owners = await tenant.rows(lockOwners, {});
  const leaving = owners.find((owner) => owner.user_id === user_id);
  const others = owners.filter((owner) => owner !== leaving && (!leaving?.joined_at || owner.joined_at));
  if (leaving && others.length === 0) {
    throw new LastOwner(
      `User ${user_id} is the last owner of workspace ${tenant.id}: add another owner first with kundebok user add --role owner or, where people sign in, invite one and wait until they have joined`,
    );
  }
}
