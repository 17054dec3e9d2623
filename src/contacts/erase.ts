import type { Tenant } from '../db/tenant.ts';
import { requireMatch } from '../http/conditional.ts';
import { notFound } from '../http/problem.ts';
import { eraseContact, lockContact } from './store.ts';

/**
 * Removes a person, their details and links for good, whole or not at all. The id stays used.
 * @param match the states that the contact may have; null for any
 * @throws {Problem} not_found, precondition_failed
 */
export function erase(tenant: Tenant, id: string, match: readonly string[] | null): Promise<void> {
  return tenant.transaction(async (transaction) => {
    const contact = await transaction.row(lockContact, { id });
    if (!contact) throw notFound(`Contact ${id}`);
    requireMatch(contact.etag, match, `Contact ${id}`);
    await transaction.row(eraseContact, { id });
  });
}
