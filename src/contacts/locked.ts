import type { Tenant } from '../db/tenant.ts';
import { requireMatch } from '../http/conditional.ts';
import { found } from '../http/problem.ts';
import { requireContact } from './require-contact.ts';
import { eraseContact, lockContact } from './store.ts';

/**
 * Runs `work` with the contact locked. Its statements see all earlier commits, so rules between fields are
 * checked on current values, and search words that another request has just written are removed.
 * @param match the states that the contact may have; null for any
 * @returns undefined if there is no such contact
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

/** Runs `work`, a single statement; with If-Match, in a transaction that has checked the contact's state. */
export function onMatchingContact<T>(
  tenant: Tenant,
  id: string,
  match: readonly string[] | null,
  work: (tenant: Tenant) => Promise<T | undefined>,
): Promise<T | undefined> {
  return match === null ? work(tenant) : onLockedContact(tenant, id, work, match);
}

/**
 * Removes a person, their details and links for good, in one transaction. The id cannot be used again.
 * @throws {Problem} not_found, precondition_failed
 */
export async function erase(tenant: Tenant, id: string, match: readonly string[] | null): Promise<void> {
  const erased = await onLockedContact(
    tenant,
    id,
    (transaction) => transaction.row(eraseContact, { id }),
    match,
  );
  if (!erased) await requireContact(tenant, id);
  found(erased, `Contact ${id}`);
}
