import type { Tenant } from '../db/tenant.ts';
import { listKeyIds, notifyOfKeys } from '../keys/store.ts';
import { endInvitations, endLinksBy } from './link-store.ts';
import { requireOtherOwner } from './remove.ts';
import type { Role } from './roles.ts';
import { setRole } from './store.ts';

/**
 * Gives a member another role, and ends the links that must not be used with it. Changes nothing where they have the
 * role already, or are not a member. Called in a transaction.
 * @param from the only role that is changed, null for any
 * @throws {LastOwner}
 */
export async function changeRole(
  tenant: Tenant,
  user_id: string,
  role: Role,
  from: Role | null = null,
): Promise<void> {
  if (role !== 'owner') await requireOtherOwner(tenant, user_id);
  const changed = await tenant.row(setRole, { user_id, role, from });
  if (!changed) return;
  // An earlier invitation, which somebody else may have, must not let them in with the new role.
  if (changed.joined_at === null) await tenant.rows(endInvitations, { user_id });
  if (role !== 'owner') await tenant.rows(endLinksBy, { user_id });
  const keys = await tenant.rows(listKeyIds, { user_id });
  await tenant.rows(notifyOfKeys, { ids: keys.map(({ id }) => id) });
}
