import type { Tenant } from '../db/tenant.ts';
import { requireMatch } from '../http/conditional.ts';
import { lockContact } from './store.ts';

/**
 * Runs `work` with the contact locked. Its statements see what was committed before: rules between fields are
 * checked on what the detail is, and words to search by are removed that another request has just written.
 * @param match the states that the contact may have; null for any
 * @returns undefined when there is no such contact
 * @throws {Problem} precondition_failed
 */
export function onLockedContact<T>(
  tenant: Tenant,
  id: string,
  work: (transaction: Tenant) => Promise<T | undefined>,
  match: readonly string[] | null = null,
): Promise<T | undefined> {
  return tenant.transaction(async (transaction) => {
    const contact = await transaction.row(lockContact, { id });
    if (!contact) return undefined;
    requireMatch(contact.etag, match, `Contact ${id}`);
    return work(transaction);
  });
}

/** Runs `work`, which is a statement of its own, on a contact as If-Match says; without it, as it comes. */
export function onMatchingContact<T>(
  tenant: Tenant,
  id: string,
  match: readonly string[] | null,
  work: (on: Tenant) => Promise<T | undefined>,
): Promise<T | undefined> {
  return match === null ? work(tenant) : onLockedContact(tenant, id, work, match);
}
