import type { Tenant } from '../db/tenant.ts';
import { lockContact } from './store.ts';

/**
 * Runs `work` with the contact locked. Its statements see what was committed before: rules between fields are
 * checked on what the detail is, and words to search by are removed that another request has just written.
 * @returns undefined when there is no such contact
 */
export function onLockedContact<T>(
  tenant: Tenant,
  id: string,
  work: (transaction: Tenant) => Promise<T | undefined>,
): Promise<T | undefined> {
  return tenant.transaction(async (transaction) =>
    (await transaction.row(lockContact, { id })) ? work(transaction) : undefined,
  );
}
